package loops

import "sync"

// A Directory has entries by number. Its numbers come out of a channel, so that each turn of a loop is about another one.
type Directory struct {
	mu      sync.Mutex
	entries map[int]string
	inbox   chan message
}

type message struct {
	id   int
	text string
	open bool
}

// Serve looks for the entry of one message, and enters that of another one.
func (d *Directory) Serve() {
	for m := range d.inbox {
		if m.open {
			d.put(m.id, m.text)
			continue
		}
		if d.has(m.id) {
			continue
		}
		m.text = ""
	}
}

// Renew looks for the entry that it enters.
func (d *Directory) Renew() {
	for m := range d.inbox {
		if d.has(m.id) {
			continue
		}
		d.put(m.id, m.text) // want `check-then-act: d.entries\[m.id\] was checked at line \d+, but d.mu was released when has returned and another goroutine may change it before this call of put`
	}
}

// Remove removes an entry.
func (d *Directory) Remove(id int) {
	d.mu.Lock()
	delete(d.entries, id)
	d.mu.Unlock()
}

func (d *Directory) has(id int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.entries[id]
	return ok
}

func (d *Directory) put(id int, text string) {
	d.mu.Lock()
	d.entries[id] = text
	d.mu.Unlock()
}
