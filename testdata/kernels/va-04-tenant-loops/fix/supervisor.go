package tenants

import (
	"sync"
	"time"
)

type worker struct {
	tenant string
	quit   chan struct{}
	once   sync.Once
}

func (w *worker) stop() { w.once.Do(func() { close(w.quit) }) }

func (w *worker) loop(sync func(tenant string), every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-t.C:
			sync(w.tenant)
		}
	}
}

type Supervisor struct {
	workers sync.Map
	sync    func(tenant string)
	every   time.Duration
}

func NewSupervisor(sync func(string), every time.Duration) *Supervisor {
	return &Supervisor{sync: sync, every: every}
}

func (s *Supervisor) Ensure(tenant string) {
	w := &worker{tenant: tenant, quit: make(chan struct{})}
	if _, known := s.workers.LoadOrStore(tenant, w); !known {
		go w.loop(s.sync, s.every)
	}
}

func (s *Supervisor) Drop(tenant string) bool {
	v, loaded := s.workers.LoadAndDelete(tenant)
	if !loaded {
		return false
	}
	v.(*worker).stop()
	return true
}

func (s *Supervisor) Tenants() (names []string) {
	s.workers.Range(func(k, _ any) bool {
		names = append(names, k.(string))
		return true
	})
	return names
}
