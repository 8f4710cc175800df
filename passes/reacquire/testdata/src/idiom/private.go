package idiom

import "sync"

// A buffer that is private to its writer, beside one of the same type that is not.

type buffer struct {
	mu   sync.Mutex
	data []byte
}

func (b *buffer) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.data)
}

func (b *buffer) truncate(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = b.data[:n]
}

type writer struct {
	mu  sync.Mutex
	buf buffer
}

func (w *writer) Trim(limit int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.buf.length(); n > limit {
		w.buf.truncate(limit)
	}
}

// Another buffer, which is cut without a lock of its owner.

type page struct {
	mu   sync.Mutex
	text *buffer
}

func newPage() *page {
	p := &page{}
	p.text = &buffer{}
	return p
}

func (p *page) Cut() { p.text.truncate(0) }

type open struct{ Buf *buffer }

func (o *open) Reset() { o.Buf.truncate(0) }
