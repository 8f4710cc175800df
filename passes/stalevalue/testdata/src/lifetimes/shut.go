package lifetimes

import (
	"os"
	"sync"
)

// A piece is a file of an Archive.
type piece struct {
	mu sync.RWMutex
	id int
	fd *os.File
}

func (p *piece) readAt(buf []byte, off int64) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	_, err := p.fd.ReadAt(buf, off)
	return err
}

// An Archive drops pieces that nobody needs any more.
type Archive struct {
	mu     sync.Mutex
	pieces map[int]*piece
}

func (a *Archive) Drop(id int) error {
	a.mu.Lock()
	p := a.pieces[id]
	delete(a.pieces, id)
	a.mu.Unlock()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fd.Close()
}

func (a *Archive) find(id int) *piece {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pieces[id]
}

func (a *Archive) Read(id int, buf []byte) error {
	p := a.find(id)
	if p == nil {
		return os.ErrNotExist
	}
	return p.readAt(buf, 0) // want `a.pieces\[id\] was found at line \d+; \(\*Archive\).Drop \(shut.go:\d+\) may take it out and close piece.fd in between, and this use of it fails`
}

// ReadHeld has the lock of the piece from the section in which it has found it.
func (a *Archive) ReadHeld(id int, buf []byte) error {
	a.mu.Lock()
	p := a.pieces[id]
	if p == nil {
		a.mu.Unlock()
		return os.ErrNotExist
	}
	p.mu.RLock()
	a.mu.Unlock()
	defer p.mu.RUnlock()
	_, err := p.fd.ReadAt(buf, 0)
	return err
}

// CloseAgain closes what may be closed already, which does no harm.
func (a *Archive) CloseAgain(id int) {
	if p := a.find(id); p != nil {
		p.fd.Close()
	}
}

// A Log has its files in a list.
type Log struct {
	mu    sync.Mutex
	files []*piece
}

func (l *Log) index(id int) int {
	for i, f := range l.files {
		if f.id == id {
			return i
		}
	}
	return -1
}

// Remove takes out the file that it is given.
func (l *Log) Remove(f *piece) {
	l.mu.Lock()
	i := l.index(f.id)
	l.files = append(l.files[:i], l.files[i+1:]...)
	l.mu.Unlock()
	f.fd.Close()
}

func (l *Log) Sync(i int) error {
	l.mu.Lock()
	f := l.files[i]
	l.mu.Unlock()
	return f.fd.Sync() // want `l.files\[i\] was found at line \d+, but l.mu was released at line \d+; \(\*Log\).Remove \(shut.go:\d+\) may take it out and close piece.fd in between, and this use of it fails`
}

// Renew closes a file, opens it again, and then adds another one: nothing is taken out.
func (l *Log) Renew(f *piece, name string) (err error) {
	if err = f.fd.Close(); err != nil {
		return err
	}
	if f.fd, err = os.Open(name); err != nil {
		return err
	}
	l.mu.Lock()
	l.files = append(l.files, &piece{id: f.id + 1})
	l.mu.Unlock()
	return nil
}

// A handler gets what comes for it.
type handler interface {
	handle(int)
	cleanup()
}

type queueOf struct{ out chan int }

func (q *queueOf) handle(n int) {
	select {
	case q.out <- n:
	default:
	}
}

func (q *queueOf) cleanup() { close(q.out) }

// A Dispatcher has handlers.
type Dispatcher struct {
	mu       sync.Mutex
	handlers map[int]handler
}

func (d *Dispatcher) Register(k int) {
	d.mu.Lock()
	d.handlers[k] = &queueOf{make(chan int, 1)}
	d.mu.Unlock()
}

func (d *Dispatcher) Deregister(k int) {
	d.mu.Lock()
	h, ok := d.handlers[k]
	delete(d.handlers, k)
	d.mu.Unlock()
	if ok {
		h.cleanup()
	}
}

func (d *Dispatcher) Respond(k, n int) {
	d.mu.Lock()
	h, ok := d.handlers[k]
	d.mu.Unlock()
	if ok {
		h.handle(n) // want `d.handlers\[k\] was found at line \d+, but d.mu was released at line \d+; \(\*Dispatcher\).Deregister \(shut.go:\d+\) may take it out and close queueOf.out in between, and this send panics`
	}
}
