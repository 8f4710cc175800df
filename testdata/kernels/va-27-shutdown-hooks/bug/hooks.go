package hooks

import (
	"context"
	"slices"
	"sync"
)

type Hook struct {
	Name string
	Run  func(context.Context) error
}

type Hooks struct {
	rw   sync.RWMutex
	list []*Hook
	errs map[string]error
}

func New() *Hooks { return &Hooks{errs: make(map[string]error)} }

func (h *Hooks) Add(name string, run func(context.Context) error) {
	h.rw.Lock()
	defer h.rw.Unlock()
	h.list = append(h.list, &Hook{Name: name, Run: run})
}

func (h *Hooks) Remove(name string) bool {
	h.rw.Lock()
	defer h.rw.Unlock()
	i := slices.IndexFunc(h.list, func(k *Hook) bool { return k.Name == name })
	if i < 0 {
		return false
	}
	h.list = slices.Delete(h.list, i, i+1)
	return true
}

func (h *Hooks) RunAll(ctx context.Context) (ran int) {
	h.rw.RLock()
	todo := h.list
	h.rw.RUnlock()

each:
	for i := range todo {
		select {
		case <-ctx.Done():
			break each
		default:
		}
		h.rw.RLock()
		hook := todo[i]
		h.rw.RUnlock()
		if err := hook.Run(ctx); err != nil {
			h.fail(hook.Name, err)
			continue each
		}
		ran++
	}
	return ran
}

func (h *Hooks) fail(name string, err error) {
	h.rw.Lock()
	defer h.rw.Unlock()
	h.errs[name] = err
}

func (h *Hooks) Err(name string) error {
	h.rw.RLock()
	defer h.rw.RUnlock()
	return h.errs[name]
}
