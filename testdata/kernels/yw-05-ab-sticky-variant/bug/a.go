// Package a assigns users to the variants of running experiments.
package a

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
)

// Variant is one arm of an experiment.
type Variant struct {
	Name   string
	Weight int
}

// Exposure tells the analytics pipeline that a user saw a variant.
type Exposure struct {
	Experiment string `json:"experiment"`
	User       string `json:"user"`
	Variant    string `json:"variant"`
}

// Experiment is a running test. A user keeps the variant which was drawn
// when it was first seen.
type Experiment struct {
	name     string
	variants []Variant
	total    int
	enrolled atomic.Int64
	assigned sync.Map // user -> variant name
	sink     chan<- Exposure
}

// NewExperiment checks the weights and returns a running experiment.
func NewExperiment(name string, vs []Variant, sink chan<- Exposure) (*Experiment, error) {
	e := &Experiment{name: name, variants: vs, sink: sink}
	for _, v := range vs {
		if v.Weight < 0 {
			return nil, errors.New("experiment: negative weight for " + v.Name)
		}
		e.total += v.Weight
	}
	if e.total == 0 {
		return nil, errors.New("experiment: no variant has weight")
	}
	return e, nil
}

func (e *Experiment) draw() string {
	n := rand.IntN(e.total)
	for _, v := range e.variants {
		if n < v.Weight {
			return v.Name
		}
		n -= v.Weight
	}
	return e.variants[len(e.variants)-1].Name
}

// Variant returns the user's variant and enrols new users.
func (e *Experiment) Variant(user string) string {
	if v, ok := e.assigned.Load(user); ok {
		return v.(string)
	}
	name := e.draw()
	e.assigned.Store(user, name)
	e.enrolled.Add(1)
	select {
	case e.sink <- Exposure{Experiment: e.name, User: user, Variant: name}:
	default:
		slog.Warn("exposure dropped", "experiment", e.name, "user", user)
	}
	return name
}

// Enrolled returns the number of users in the experiment.
func (e *Experiment) Enrolled() int64 { return e.enrolled.Load() }

// Service answers variant requests of the front ends.
type Service struct {
	experiments map[string]*Experiment
}

// NewService returns a service for a fixed set of experiments.
func NewService(exps ...*Experiment) *Service {
	s := &Service{experiments: make(map[string]*Experiment, len(exps))}
	for _, e := range exps {
		s.experiments[e.name] = e
	}
	return s
}

// ServeHTTP answers GET /variant?experiment=E&user=U.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, ok := s.experiments[r.FormValue("experiment")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	user := r.FormValue("user")
	if user == "" {
		http.Error(w, "user missing", http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"variant": e.Variant(user)})
}
