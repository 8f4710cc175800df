// Package schema resolves the schemas of messages and sorts out those that have none.
package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
)

// ErrUnknown is returned for schema ids that the registry does not know.
var ErrUnknown = errors.New("schema: unknown id")

// ID of a schema.
type ID uint32

// Schema describes the payload of messages. An id never changes its meaning.
type Schema struct {
	ID      ID
	Subject string
	Version int
	Fields  []string
}

// Source lists all schemas.
type Source interface {
	List(ctx context.Context) ([]Schema, error)
}

// Registry is a cache of schemas that is filled on first use.
type Registry struct {
	src    Source
	loaded atomic.Bool
	loadMu sync.Mutex

	mu   sync.RWMutex
	byID map[ID]Schema
}

// NewRegistry returns a registry that has loaded nothing yet.
func NewRegistry(src Source) *Registry {
	return &Registry{src: src, byID: make(map[ID]Schema)}
}

// ensureLoaded reads the schemas on first use.
func (r *Registry) ensureLoaded(ctx context.Context) error {
	if r.loaded.Load() {
		return nil
	}
	r.loadMu.Lock()
	defer r.loadMu.Unlock()
	if r.loaded.Load() {
		return nil
	}
	if err := r.reload(ctx); err != nil {
		return err
	}
	r.loaded.Store(true)
	return nil
}

func (r *Registry) reload(ctx context.Context) error {
	list, err := r.src.List(ctx)
	if err != nil {
		return fmt.Errorf("schema: load: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range list {
		r.byID[s.ID] = s
	}
	return nil
}

// Register adds a schema that a producer announced.
func (r *Registry) Register(s Schema) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[s.ID] = s
}

// Lookup returns the schema with an id.
func (r *Registry) Lookup(ctx context.Context, id ID) (Schema, error) {
	if err := r.ensureLoaded(ctx); err != nil {
		return Schema{}, err
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	s, ok := r.byID[id]
	if !ok {
		return Schema{}, fmt.Errorf("%w: %d", ErrUnknown, id)
	}
	return s, nil
}

// Message is a payload with the id of its schema.
type Message struct {
	Schema  ID
	Payload []byte
}

// Router sends messages on by whether their schema is known.
type Router struct {
	Registry *Registry
	Deliver  func(Schema, Message) error
	DeadLtr  func(Message, error)
}

// Run routes with the given number of workers until the channel is closed.
func (rt *Router) Run(ctx context.Context, in <-chan Message, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for m := range in {
				rt.route(ctx, m)
			}
		})
	}
	wg.Wait()
}

func (rt *Router) route(ctx context.Context, m Message) {
	s, err := rt.Registry.Lookup(ctx, m.Schema)
	if err != nil {
		rt.DeadLtr(m, err)
		return
	}
	if err := rt.Deliver(s, m); err != nil {
		slog.Warn("deliver", "subject", s.Subject, "err", err)
	}
}
