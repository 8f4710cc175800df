// Package models serves predictions from models that are loaded into memory
// and can be unloaded while requests are running.
package models

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

var ErrNoModel = errors.New("models: not loaded")

// Model holds the weights. The registry owns one reference as long as the
// model is listed; every running request owns another.
type Model struct {
	name string
	refs atomic.Int64

	mu      sync.RWMutex
	weights []float64
}

// Predict evaluates the model; the caller must own a reference.
func (m *Model) Predict(x float64) float64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	y := m.weights[0]
	for _, w := range m.weights[1:] {
		y = y*x + w
	}
	return y
}

// Release gives a reference back; the last one frees the weights.
func (m *Model) Release() {
	if m.refs.Add(-1) > 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.weights = nil
}

// Registry lists the loaded models by name.
type Registry struct {
	mu     sync.RWMutex
	models map[string]*Model
}

func NewRegistry() *Registry {
	return &Registry{models: make(map[string]*Model)}
}

// Load lists a model, replacing an older one of the same name.
func (r *Registry) Load(name string, weights []float64) error {
	if len(weights) == 0 {
		return errors.New("models: empty model")
	}
	m := &Model{name: name, weights: weights}
	m.refs.Store(1)
	r.mu.Lock()
	old := r.models[name]
	r.models[name] = m
	r.mu.Unlock()
	if old != nil {
		old.Release()
	}
	return nil
}

// Unload removes the model; running requests finish undisturbed.
func (r *Registry) Unload(name string) {
	r.mu.Lock()
	m := r.models[name]
	delete(r.models, name)
	r.mu.Unlock()
	if m != nil {
		m.Release()
	}
}

// Acquire returns the model with a reference for the caller.
func (r *Registry) Acquire(name string) (*Model, error) {
	r.mu.RLock()
	m := r.models[name]
	r.mu.RUnlock()
	if m == nil {
		return nil, ErrNoModel
	}
	m.refs.Add(1)
	return m, nil
}

// ServeHTTP handles GET /predict/{model}?x=.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	x, err := strconv.ParseFloat(req.FormValue("x"), 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m, err := r.Acquire(req.PathValue("model"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	defer m.Release()
	_, _ = w.Write(strconv.AppendFloat(nil, m.Predict(x), 'g', -1, 64))
}
