package ward

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrLast = errors.New("ward: nobody else is on call")

// Doctor is somebody who can be on call.
type Doctor struct {
	name string

	mu    sync.Mutex
	on    bool
	since time.Time
}

func (d *Doctor) onCall() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.on
}

func (d *Doctor) set(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.on != on {
		d.on, d.since = on, time.Now()
	}
}

// Ward has a fixed staff, of whom one at least is on call at any time.
type Ward struct {
	staff   []*Doctor
	leaving sync.Mutex // held by Leave
}

// Open opens a ward; the first doctor is on call.
func Open(first string, others ...string) *Ward {
	w := &Ward{staff: []*Doctor{{name: first, on: true, since: time.Now()}}}
	for _, name := range others {
		w.staff = append(w.staff, &Doctor{name: name})
	}
	return w
}

func (w *Ward) find(name string) (*Doctor, error) {
	for _, d := range w.staff {
		if d.name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("ward: no doctor %s", name)
}

// Enter puts a doctor on call.
func (w *Ward) Enter(name string) error {
	d, err := w.find(name)
	if err == nil {
		d.set(true)
	}
	return err
}

// Leave takes a doctor off call, unless nobody else is there.
func (w *Ward) Leave(name string) error {
	d, err := w.find(name)
	if err != nil {
		return err
	}
	w.leaving.Lock()
	defer w.leaving.Unlock()
	for _, o := range w.staff {
		if o != d && o.onCall() {
			d.set(false)
			return nil
		}
	}
	return ErrLast
}

// OnCall tells since when a doctor is on call.
func (w *Ward) OnCall(name string) (since time.Time, ok bool) {
	d, err := w.find(name)
	if err != nil {
		return since, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.since, d.on
}
