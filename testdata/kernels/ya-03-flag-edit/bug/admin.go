package flags

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// Admin serves the administration API of a store.
type Admin struct {
	Store *Store
}

// Register installs the routes on mux.
func (a *Admin) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /flags", a.list)
	mux.HandleFunc("PUT /flags/{flag}/users/{user}", a.allow)
	mux.HandleFunc("PUT /flags/{flag}/percent/{n}", a.rollout)
	mux.HandleFunc("DELETE /flags/{flag}", a.remove)
}

func (a *Admin) list(w http.ResponseWriter, _ *http.Request) {
	rules, version := a.Store.Rules()
	w.Header().Set("ETag", strconv.Itoa(version))
	_ = json.NewEncoder(w).Encode(rules)
}

func (a *Admin) allow(w http.ResponseWriter, r *http.Request) {
	a.Store.Allow(r.PathValue("flag"), r.PathValue("user"))
	w.WriteHeader(http.StatusNoContent)
}

func (a *Admin) rollout(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.Store.Rollout(r.PathValue("flag"), n)
	w.WriteHeader(http.StatusNoContent)
}

func (a *Admin) remove(w http.ResponseWriter, r *http.Request) {
	a.Store.Remove(r.PathValue("flag"))
	w.WriteHeader(http.StatusNoContent)
}
