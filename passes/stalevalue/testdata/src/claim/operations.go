package claim

import (
	"os"
	"sync"
)

type carrier interface {
	Send(to string) error
	Find(to string) (string, error)
	Close() error
}

// A Bureau sends each letter once, and has a flag for that.
type Bureau struct {
	by carrier

	mu   sync.Mutex
	sent map[string]bool
	swept,
	shut bool
}

func (b *Bureau) has(to string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sent[to]
}

func (b *Bureau) note(to string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent[to] = true
}

func (b *Bureau) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.sent)
	b.swept = false
}

// Post notes first what it is going to do.
func (b *Bureau) Post(to string) error {
	if b.has(to) {
		return nil
	}
	b.note(to) // want `check-then-act: b.sent\[to\] was checked at line 45`
	return b.by.Send(to)
}

// PostFirst notes what it has done.
func (b *Bureau) PostFirst(to string) error {
	if b.has(to) {
		return nil
	}
	if err := b.by.Send(to); err != nil {
		return err
	}
	b.note(to) // want `check-then-act: b.sent\[to\] was checked at line 54`
	return nil
}

func (b *Bureau) carry(to string) error { return b.by.Send(to) }

// PostBy has a helper send it.
func (b *Bureau) PostBy(to string) error {
	if b.has(to) {
		return nil
	}
	b.note(to) // want `check-then-act: b.sent\[to\] was checked at line 68`
	return b.carry(to)
}

// Know only looks something up.
func (b *Bureau) Know(to string) string {
	if b.has(to) {
		return ""
	}
	b.note(to)
	name, _ := b.by.Find(to)
	return name
}

// Sweep removes the file of another one that has been written since.
func (b *Bureau) Sweep(file string) error {
	b.mu.Lock()
	swept := b.swept
	b.mu.Unlock()
	if swept {
		return nil
	}
	b.mu.Lock()
	b.swept = true // want `check-then-act: b.swept was checked at line 88`
	b.mu.Unlock()
	return os.Remove(file)
}

// Shut closes the carrier, whoever does it.
func (b *Bureau) Shut() {
	b.mu.Lock()
	shut := b.shut
	b.mu.Unlock()
	if shut {
		return
	}
	b.mu.Lock()
	b.shut = true
	b.mu.Unlock()
	b.by.Close()
}

// Due are letters that have to be sent.
type Due struct {
	by carrier

	mu  sync.Mutex
	due map[string]int
}

func (d *Due) Add(to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.due[to] = 1
}

func (d *Due) drop(to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.due, to)
}

func (d *Due) found(to string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.due[to]
	return ok
}

// Take tells two callers that they have taken it.
func (d *Due) Take(to string) bool {
	if !d.found(to) {
		return false
	}
	d.drop(to) // want `check-then-act: d.due\[to\] was checked`
	return true
}

// Remove only tells that there was none.
func (d *Due) Remove(to string) error {
	if !d.found(to) {
		return os.ErrNotExist
	}
	d.drop(to)
	return nil
}

// Deliver sends what another one has dropped, and is about to send.
func (d *Due) Deliver(to string) error {
	if !d.found(to) {
		return nil
	}
	d.drop(to) // want `check-then-act: d.due\[to\] was checked`
	return d.by.Send(to)
}

// DeliverFirst drops what it has sent.
func (d *Due) DeliverFirst(to string) error {
	if !d.found(to) {
		return nil
	}
	if err := d.by.Send(to); err != nil {
		return err
	}
	d.drop(to) // want `check-then-act: d.due\[to\] was checked`
	return nil
}
