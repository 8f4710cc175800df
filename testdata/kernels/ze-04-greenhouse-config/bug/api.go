package greenhouse

import (
	"encoding/json"
	"errors"
	"net/http"
)

// API serves the settings over HTTP.
type API struct {
	cfg *Wrapper
	mux *http.ServeMux
}

// NewAPI returns a handler for the settings in w.
func NewAPI(w *Wrapper) *API {
	a := &API{cfg: w, mux: http.NewServeMux()}
	a.mux.HandleFunc("GET /config", a.getConfig)
	a.mux.HandleFunc("PUT /config/name", a.putName)
	a.mux.HandleFunc("PUT /config/zones/{zone}", a.putZone)
	a.mux.HandleFunc("DELETE /config/zones/{zone}", a.deleteZone)
	return a
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

var errNoZone = errors.New("no such zone")

// adjust applies one change to the settings and answers the request.
func (a *API) adjust(w http.ResponseWriter, change func(*Config) error) {
	cfg := a.cfg.RawCopy()
	err := change(&cfg)
	if err == nil {
		err = a.cfg.Replace(cfg)
	}
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errNoZone):
		http.Error(w, err.Error(), http.StatusNotFound)
	default:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	}
}

func (a *API) getConfig(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a.cfg.RawCopy())
}

func (a *API) putName(w http.ResponseWriter, r *http.Request) {
	var name string
	if err := json.NewDecoder(r.Body).Decode(&name); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.adjust(w, func(c *Config) error {
		c.Name = name
		return nil
	})
}

func (a *API) putZone(w http.ResponseWriter, r *http.Request) {
	var z Zone
	if err := json.NewDecoder(r.Body).Decode(&z); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.adjust(w, func(c *Config) error {
		if c.Zones == nil {
			c.Zones = make(map[string]Zone)
		}
		c.Zones[r.PathValue("zone")] = z
		return nil
	})
}

func (a *API) deleteZone(w http.ResponseWriter, r *http.Request) {
	a.adjust(w, func(c *Config) error {
		name := r.PathValue("zone")
		if _, ok := c.Zones[name]; !ok {
			return errNoZone
		}
		delete(c.Zones, name)
		return nil
	})
}
