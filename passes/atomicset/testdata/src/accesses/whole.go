package accesses

import "sync"

// Whole has a part that is assigned as a whole: that is to assign its fields.
type Whole struct {
	mu sync.Mutex
	d  struct {
		a int //atomvet:set whole
		b int //atomvet:set whole
	}
}

// Reset is one step.
func (w *Whole) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.d = struct{ a, b int }{}
}

// Apart is two.
func (w *Whole) Apart() int {
	w.mu.Lock()
	a := w.d.a
	w.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return a + w.d.b // want `R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Whole\)\.Apart is not one atomic step`
}
