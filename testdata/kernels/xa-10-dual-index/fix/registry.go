// Package discovery is the registry of the service instances in a cluster.
package discovery

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
)

// Instance is a running copy of a service.
type Instance struct {
	ID      string `json:"id"`
	Service string `json:"service"`
	Addr    string `json:"addr"`
}

// Registry knows the running instances. The load balancer sends traffic to the
// addresses it lists. A Registry is safe for concurrent use.
type Registry struct {
	mu    sync.Mutex // held while an instance comes, moves or goes
	ids   idIndex
	addrs addrIndex
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{
		ids:   idIndex{m: make(map[string]Instance)},
		addrs: addrIndex{m: make(map[string]string)},
	}
}

// Register adds an instance, or moves it to another address.
func (r *Registry) Register(in Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := r.ids.put(in); ok && old.Addr != in.Addr {
		r.addrs.drop(old.Addr, old.ID)
	}
	r.addrs.put(in.Addr, in.ID)
}

// Deregister removes the instance called id.
func (r *Registry) Deregister(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	in, ok := r.ids.take(id)
	if ok {
		r.addrs.drop(in.Addr, in.ID)
	}
	return ok
}

// Instance returns the instance called id.
func (r *Registry) Instance(id string) (Instance, bool) { return r.ids.get(id) }

// Owner returns the id of the instance at addr.
func (r *Registry) Owner(addr string) (string, bool) { return r.addrs.get(addr) }

// Addrs returns the addresses in use, in order.
func (r *Registry) Addrs() []string {
	addrs := r.addrs.all()
	slices.Sort(addrs)
	return addrs
}

// Routes mounts the registry on mux.
func (r *Registry) Routes(mux *http.ServeMux) {
	mux.HandleFunc("PUT /instances/{id}", func(w http.ResponseWriter, req *http.Request) {
		var in Instance
		if err := json.NewDecoder(req.Body).Decode(&in); err != nil || in.Addr == "" {
			http.Error(w, "bad instance", http.StatusBadRequest)
			return
		}
		in.ID = req.PathValue("id")
		r.Register(in)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE /instances/{id}", func(w http.ResponseWriter, req *http.Request) {
		if !r.Deregister(req.PathValue("id")) {
			http.NotFound(w, req)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /instances/{id}", func(w http.ResponseWriter, req *http.Request) {
		in, ok := r.Instance(req.PathValue("id"))
		if !ok {
			http.NotFound(w, req)
			return
		}
		_ = json.NewEncoder(w).Encode(in)
	})
	mux.HandleFunc("GET /addrs", func(w http.ResponseWriter, req *http.Request) {
		_ = json.NewEncoder(w).Encode(r.Addrs())
	})
}
