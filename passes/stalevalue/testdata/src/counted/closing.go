package counted

import (
	"errors"
	"sync"
)

var errEnded = errors.New("ended")

// A Pavilion ends, and all its desks with it.
type Pavilion struct {
	mu    sync.Mutex
	ended bool
	desks map[string]*desk
}

type desk struct {
	mu     sync.Mutex
	ended  bool
	clerks map[string]bool
}

func (h *Pavilion) desk(name string) (*desk, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return nil, errEnded
	}
	d := h.desks[name]
	if d == nil {
		d = &desk{clerks: make(map[string]bool)}
		h.desks[name] = d
	}
	return d, nil
}

func (d *desk) add(clerk string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return errEnded
	}
	d.clerks[clerk] = true
	return nil
}

func (d *desk) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	clear(d.clerks)
}

// Join is refused by a desk that End has come to, or ended by it later.
func (h *Pavilion) Join(name, clerk string) error {
	d, err := h.desk(name)
	if err != nil {
		return err
	}
	return d.add(clerk)
}

func (h *Pavilion) End() {
	h.mu.Lock()
	h.ended = true
	desks := h.desks
	h.desks = make(map[string]*desk)
	h.mu.Unlock()
	for _, d := range desks {
		d.end()
	}
}

// Names are taken by those who have a card, which says whether it has been withdrawn.
type Names struct {
	mu    sync.Mutex
	cards map[int]*card
	taken nameTable
}

type card struct {
	mu        sync.Mutex
	withdrawn bool
	name      string
}

type nameTable struct {
	mu sync.Mutex
	by map[string]int
}

func (t *nameTable) take(name string, id int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.by[name]; ok {
		return false
	}
	t.by[name] = id
	return true
}

func (t *nameTable) drop(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.by, name)
}

func (n *Names) card(id int) *card {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cards[id]
}

func (n *Names) Issue(id int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cards[id] = &card{}
}

// Rename asks the card, whose lock it holds until the name is taken.
func (n *Names) Rename(id int, name string) bool {
	c := n.card(id)
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.withdrawn || !n.taken.take(name, id) {
		return false
	}
	n.taken.drop(c.name)
	c.name = name
	return true
}

func (n *Names) Withdraw(id int) {
	c := n.card(id)
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.withdrawn {
		return
	}
	c.withdrawn = true
	n.mu.Lock()
	delete(n.cards, id)
	n.mu.Unlock()
	n.taken.drop(c.name)
}

// Labels are taken off before the card is marked: what is put on in between stays.
type Labels struct {
	mu    sync.Mutex
	cards map[int]*card
	taken nameTable
}

func (l *Labels) card(id int) *card {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cards[id]
}

func (l *Labels) Issue(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cards[id] = &card{}
}

func (l *Labels) Put(id int, label string) bool {
	c := l.card(id)
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.withdrawn {
		return false
	}
	return l.taken.take(label, id) // want `check-then-act: l.cards\[id\] was checked at line \d+`
}

func (l *Labels) Withdraw(id int) {
	c := l.card(id)
	if c == nil {
		return
	}
	l.taken.drop(c.name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.withdrawn {
		return
	}
	c.withdrawn = true
	l.mu.Lock()
	delete(l.cards, id)
	l.mu.Unlock()
}
