package counted

import "sync"

type wire struct {
	id string

	mu   sync.Mutex
	ends int
	down chan struct{}
}

func (w *wire) hold() {
	w.mu.Lock()
	w.ends++
	w.mu.Unlock()
}

func (w *wire) drop() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends--
	return w.ends
}

// A Board has the wires that somebody holds.
type Board struct{ wires sync.Map }

// Attach may hold a wire that the last one has just taken down.
func (b *Board) Attach(id string) *wire {
	v, _ := b.wires.LoadOrStore(id, &wire{id: id, down: make(chan struct{})})
	w := v.(*wire)
	w.hold() // want `check-then-act: b.wires\[id\] was checked at line \d+`
	return w
}

func (b *Board) Detach(w *wire) {
	if w.drop() > 0 {
		return
	}
	b.wires.Delete(w.id)
	close(w.down)
}
