package api

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"sync"
)

type configMuxBuilder struct {
	*http.ServeMux
	id  string
	cfg *Wrapper
	mut sync.Mutex
}

func newConfigMux(id string, cfg *Wrapper) http.Handler {
	c := &configMuxBuilder{ServeMux: http.NewServeMux(), id: id, cfg: cfg}
	c.registerFolders("/rest/config/folders")
	c.registerFolder("/rest/config/folders/{id}")
	c.registerDevice("/rest/config/devices/{id}")
	c.registerOptions("/rest/config/options")
	return c
}

func (c *configMuxBuilder) registerFolders(path string) {
	c.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, c.cfg.FolderList())
	})

	c.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		c.mut.Lock()
		defer c.mut.Unlock()
		var folder FolderConfiguration
		if err := unmarshalTo(r.Body, &folder); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		waiter, err := c.cfg.SetFolder(folder)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		c.finish(w, waiter)
	})
}

func (c *configMuxBuilder) registerFolder(path string) {
	c.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		folder, ok := c.cfg.Folder(r.PathValue("id"))
		if !ok {
			http.Error(w, "No folder with given ID", http.StatusNotFound)
			return
		}
		sendJSON(w, folder)
	})

	c.HandleFunc("PUT "+path, func(w http.ResponseWriter, r *http.Request) {
		c.mut.Lock()
		defer c.mut.Unlock()
		c.adjustFolder(w, r, FolderConfiguration{})
	})

	c.HandleFunc("PATCH "+path, func(w http.ResponseWriter, r *http.Request) {
		c.mut.Lock()
		defer c.mut.Unlock()
		folder, ok := c.cfg.Folder(r.PathValue("id"))
		if !ok {
			http.Error(w, "No folder with given ID", http.StatusNotFound)
			return
		}
		c.adjustFolder(w, r, folder)
	})

	c.HandleFunc("DELETE "+path, func(w http.ResponseWriter, r *http.Request) {
		c.mut.Lock()
		defer c.mut.Unlock()
		waiter, err := c.cfg.RemoveFolder(r.PathValue("id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.finish(w, waiter)
	})
}

func (c *configMuxBuilder) registerDevice(path string) {
	c.HandleFunc("PATCH "+path, func(w http.ResponseWriter, r *http.Request) {
		c.mut.Lock()
		defer c.mut.Unlock()
		device, ok := c.cfg.Device(r.PathValue("id"))
		if !ok {
			http.Error(w, "No device with given ID", http.StatusNotFound)
			return
		}
		c.adjustDevice(w, r, device)
	})

	c.HandleFunc("DELETE "+path, func(w http.ResponseWriter, r *http.Request) {
		c.mut.Lock()
		defer c.mut.Unlock()
		waiter, err := c.cfg.RemoveDevice(r.PathValue("id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.finish(w, waiter)
	})
}

func (c *configMuxBuilder) registerOptions(path string) {
	c.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, c.cfg.Options())
	})

	c.HandleFunc("PATCH "+path, func(w http.ResponseWriter, r *http.Request) {
		c.mut.Lock()
		defer c.mut.Unlock()
		opts := c.cfg.Options()
		if err := unmarshalTo(r.Body, &opts); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.finish(w, c.cfg.SetOptions(opts))
	})
}

// adjustFolder merges the body into folder and stores it. c.mut is held.
func (c *configMuxBuilder) adjustFolder(w http.ResponseWriter, r *http.Request, folder FolderConfiguration) {
	if err := unmarshalTo(r.Body, &folder); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	waiter, err := c.cfg.SetFolder(folder)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	c.finish(w, waiter)
}

// adjustDevice merges the body into device and stores it. c.mut is held.
func (c *configMuxBuilder) adjustDevice(w http.ResponseWriter, r *http.Request, device DeviceConfiguration) {
	if err := unmarshalTo(r.Body, &device); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	waiter, err := c.cfg.SetDevice(device)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	c.finish(w, waiter)
}

func sendJSON(w http.ResponseWriter, v interface{}) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(v)
}

// Unmarshals the content of the given body and stores it in to (i.e. to must be a pointer).
func unmarshalTo(body io.ReadCloser, to interface{}) error {
	bs, err := io.ReadAll(body)
	body.Close()
	if err != nil {
		return err
	}
	return json.Unmarshal(bs, to)
}

func (c *configMuxBuilder) finish(w http.ResponseWriter, waiter Waiter) {
	waiter.Wait()
	if err := c.cfg.Save(); err != nil {
		log.Println("Saving config:", err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
