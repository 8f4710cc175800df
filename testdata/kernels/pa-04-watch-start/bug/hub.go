package watchstore

import (
	"context"
	"sync"
)

type watcher struct {
	key  string
	live chan Event
}

func (w *watcher) run(ctx context.Context, backlog []Event, out chan<- Event) {
	for _, ev := range backlog {
		select {
		case out <- ev:
		case <-ctx.Done():
			return
		}
	}
	for {
		select {
		case ev, ok := <-w.live:
			if !ok {
				return
			}
			select {
			case out <- ev:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// hub knows the watchers that follow the store.
type hub struct {
	mu       sync.Mutex
	watchers map[*watcher]struct{}
}

func (h *hub) add(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[w] = struct{}{}
}

func (h *hub) remove(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
}

// notify hands ev to the watchers of its key and cuts off those that lag.
func (h *hub) notify(ev Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if w.key != ev.Key {
			continue
		}
		select {
		case w.live <- ev:
		default:
			delete(h.watchers, w)
			close(w.live)
		}
	}
}
