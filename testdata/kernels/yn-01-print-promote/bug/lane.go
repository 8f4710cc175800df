package bug

import (
	"context"
	"slices"
	"sync"
)

// lane is the queue in front of one printer; it has a single taker.
type lane struct {
	printer Printer
	filled  chan struct{}

	mu   sync.Mutex
	docs []Document
}

func newLane(p Printer) *lane {
	return &lane{printer: p, filled: make(chan struct{}, 1)}
}

func (l *lane) push(d Document) {
	l.mu.Lock()
	l.docs = append(l.docs, d)
	l.mu.Unlock()
	select {
	case l.filled <- struct{}{}:
	default:
	}
}

func (l *lane) shift() (Document, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.docs) == 0 {
		return Document{}, false
	}
	d := l.docs[0]
	l.docs = slices.Delete(l.docs, 0, 1)
	return d, true
}

func (l *lane) next(ctx context.Context) (Document, error) {
	for {
		if d, ok := l.shift(); ok {
			return d, nil
		}
		select {
		case <-l.filled:
		case <-ctx.Done():
			return Document{}, ctx.Err()
		}
	}
}

func (l *lane) find(id string) int {
	return slices.IndexFunc(l.docs, func(d Document) bool { return d.ID == id })
}

func (l *lane) drop(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.find(id)
	if i < 0 {
		return false
	}
	l.docs = slices.Delete(l.docs, i, i+1)
	return true
}

// position tells how many documents are ahead of id, or -1.
func (l *lane) position(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.find(id)
}

// raise moves the document at pos to the front.
func (l *lane) raise(pos int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if pos >= len(l.docs) {
		return ErrNotQueued
	}
	d := l.docs[pos]
	copy(l.docs[1:pos+1], l.docs[:pos])
	l.docs[0] = d
	return nil
}
