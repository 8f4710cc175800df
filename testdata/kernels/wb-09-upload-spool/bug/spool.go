// Package spool receives uploads. What was uploaded is never replaced.
package spool

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Spool is a handler that keeps uploads in a directory.
type Spool struct {
	dir string
	mu  sync.Mutex // held while the names of uploads are looked up or change
}

// New returns a spool. Nothing else may write to dir.
func New(dir string) *Spool { return &Spool{dir: dir} }

func (s *Spool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if !filepath.IsLocal(name) || strings.Contains(name, "/") || strings.HasPrefix(name, ".") {
		http.Error(w, "bad name", http.StatusBadRequest)
		return
	}
	var err error
	switch r.Method {
	case http.MethodPut:
		err = s.put(filepath.Join(s.dir, name), r.Body)
	case http.MethodDelete:
		err = s.remove(filepath.Join(s.dir, name))
	default:
		http.Error(w, "bad method", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, fs.ErrExist):
		http.Error(w, "exists", http.StatusConflict)
	case errors.Is(err, fs.ErrNotExist):
		http.Error(w, "not found", http.StatusNotFound)
	default:
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}

func (s *Spool) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := os.Lstat(path)
	return err == nil
}

func (s *Spool) put(path string, body io.Reader) error {
	if s.has(path) {
		return fs.ErrExist
	}
	tmp, err := os.CreateTemp(s.dir, ".upload-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, body)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.Rename(tmp.Name(), path)
}

func (s *Spool) remove(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.Remove(path)
}
