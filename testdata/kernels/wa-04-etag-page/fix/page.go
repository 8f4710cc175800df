package page

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

// Versioned is a value together with the number of times it has been set.
type Versioned[T any] struct {
	sync.RWMutex
	val T
	rev uint64
}

// Set replaces the value.
func (v *Versioned[T]) Set(val T) {
	v.Lock()
	v.val = val
	v.rev++
	v.Unlock()
}

// Update replaces the value by what edit makes of it.
func (v *Versioned[T]) Update(edit func(T) (T, error)) error {
	v.Lock()
	defer v.Unlock()
	next, err := edit(v.val)
	if err != nil {
		return err
	}
	v.val = next
	v.rev++
	return nil
}

// Get returns the value.
func (v *Versioned[T]) Get() T {
	v.RLock()
	defer v.RUnlock()
	return v.val
}

// Rev returns the revision.
func (v *Versioned[T]) Rev() uint64 {
	v.RLock()
	defer v.RUnlock()
	return v.rev
}

// Current returns the value and its revision.
func (v *Versioned[T]) Current() (T, uint64) {
	v.RLock()
	defer v.RUnlock()
	return v.val, v.rev
}

// Handler serves v as JSON and lets clients revalidate their copies.
func Handler[T any](v *Versioned[T]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		val, rev := v.Current()
		body, err := json.Marshal(val)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		tag := strconv.Quote(strconv.FormatUint(rev, 36))
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache")
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}
}
