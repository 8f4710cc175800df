package a

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

var (
	ErrHeld = errors.New("library: held for somebody else")
	ErrNone = errors.New("library: no such hold")
)

type hold struct {
	reader string
	gen    uint64
	until  time.Time
	timer  *time.Timer
}

// Desk keeps books on hold until their readers come for them.
type Desk struct {
	notify func(reader, book string)
	period time.Duration

	mu    sync.Mutex
	gen   uint64
	holds map[string]hold // by book
	lent  map[string]string
}

// NewDesk calls notify for every hold that has run out.
func NewDesk(period time.Duration, notify func(reader, book string)) *Desk {
	return &Desk{
		notify: notify,
		period: period,
		holds:  make(map[string]hold),
		lent:   make(map[string]string),
	}
}

// arm starts a new hold; the caller has the lock.
func (d *Desk) arm(reader, book string) {
	d.gen++
	gen := d.gen
	d.holds[book] = hold{
		reader: reader,
		gen:    gen,
		until:  time.Now().Add(d.period),
		timer:  time.AfterFunc(d.period, func() { d.expire(book, gen) }),
	}
}

// Hold puts a book aside. The reader who holds it may prolong it by that.
func (d *Desk) Hold(reader, book string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.lent[book]; ok {
		return ErrHeld
	}
	if h, ok := d.holds[book]; ok {
		if h.reader != reader {
			return ErrHeld
		}
		h.timer.Stop()
	}
	d.arm(reader, book)
	return nil
}

func (d *Desk) drop(book string, gen uint64) (reader string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.holds[book]
	if !ok || h.gen != gen {
		return "", false
	}
	delete(d.holds, book)
	return h.reader, true
}

func (d *Desk) expire(book string, gen uint64) {
	if reader, ok := d.drop(book, gen); ok {
		d.notify(reader, book)
	}
}

// PickUp lends the book to the reader for whom it is held.
func (d *Desk) PickUp(reader, book string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.holds[book]
	if !ok || h.reader != reader {
		return ErrNone
	}
	h.timer.Stop()
	delete(d.holds, book)
	d.lent[book] = reader
	return nil
}

// Return takes a lent book back.
func (d *Desk) Return(book string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.lent, book)
}

// ServeHTTP tells until when a book is held.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	h, ok := d.holds[r.PathValue("book")]
	d.mu.Unlock()
	if !ok {
		http.Error(w, ErrNone.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("X-Days", strconv.Itoa(int(time.Until(h.until).Hours()/24)))
}
