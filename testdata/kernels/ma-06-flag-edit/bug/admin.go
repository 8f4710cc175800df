package flags

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// AdminHandler serves the operators' page.
func AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /flags", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(Export())
	})
	mux.HandleFunc("POST /flags/{name}/percent", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.FormValue("value"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, SetPercent(r.PathValue("name"), n))
	})
	mux.HandleFunc("POST /flags/{name}/tenants/{tenant}", func(w http.ResponseWriter, r *http.Request) {
		reply(w, AllowTenant(r.PathValue("name"), r.PathValue("tenant")))
	})
	return mux
}

func reply(w http.ResponseWriter, err error) {
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, ErrUnknown):
		http.Error(w, err.Error(), http.StatusNotFound)
	default:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}
