// Package ward keeps the duty roster of hospital wards. Staff report from
// hand-held devices, so every change is a request of its own.
package ward

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Duty is what a member of staff does at present.
type Duty int

const (
	OffDuty Duty = iota
	OnBreak
	OnDuty
)

// Errors of the roster.
var (
	ErrUnknown    = errors.New("ward: unknown member of staff")
	ErrUnderstaff = errors.New("ward: too few members of staff would be left")
)

// Nurse is a member of staff; the lock is the nurse's own since the paging
// system updates and reads single entries all the time.
type Nurse struct {
	ID   string
	Name string

	mu    sync.Mutex
	duty  Duty
	since time.Time
	pager string
}

func (n *Nurse) current() (Duty, time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.duty, n.since
}

func (n *Nurse) change(d Duty) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.duty != d {
		n.duty, n.since = d, time.Now()
	}
}

// SetPager records the device a nurse carries.
func (n *Nurse) SetPager(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pager = id
}

// Ward is a ward with its staff, which is fixed for a shift plan.
type Ward struct {
	name    string
	minimum int
	staff   map[string]*Nurse
	leaving sync.Mutex
	log     *slog.Logger
}

// New returns a ward that needs at least minimum nurses on duty.
func New(name string, minimum int, staff []*Nurse, log *slog.Logger) *Ward {
	w := &Ward{name: name, minimum: minimum, staff: make(map[string]*Nurse, len(staff)), log: log}
	for _, n := range staff {
		w.staff[n.ID] = n
	}
	return w
}

// Arrive puts a nurse on duty.
func (w *Ward) Arrive(id string) error {
	n, ok := w.staff[id]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	n.change(OnDuty)
	return nil
}

// others counts who is on duty besides a nurse.
func (w *Ward) others(id string) int {
	count := 0
	for _, n := range w.staff {
		if n.ID == id {
			continue
		}
		if d, _ := n.current(); d == OnDuty {
			count++
		}
	}
	return count
}

// Leave takes a nurse off the ward, for a break or for the day.
func (w *Ward) Leave(id string, to Duty) error {
	n, ok := w.staff[id]
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	w.leaving.Lock()
	defer w.leaving.Unlock()
	if left := w.others(id); left < w.minimum {
		return fmt.Errorf("%w: %d of %d", ErrUnderstaff, left, w.minimum)
	}
	n.change(to)
	w.log.Info("left the ward", "ward", w.name, "nurse", id)
	return nil
}

// Handler serves POST /arrive, /break and /leave with a form value "id".
func (w *Ward) Handler() http.Handler {
	mux := http.NewServeMux()
	action := func(f func(id string) error) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			err := f(r.FormValue("id"))
			switch {
			case errors.Is(err, ErrUnknown):
				http.Error(rw, err.Error(), http.StatusNotFound)
			case errors.Is(err, ErrUnderstaff):
				http.Error(rw, err.Error(), http.StatusConflict)
			default:
				_ = json.NewEncoder(rw).Encode(map[string]string{"ward": w.name})
			}
		}
	}
	mux.Handle("POST /arrive", action(w.Arrive))
	mux.Handle("POST /break", action(func(id string) error { return w.Leave(id, OnBreak) }))
	mux.Handle("POST /leave", action(func(id string) error { return w.Leave(id, OffDuty) }))
	return mux
}
