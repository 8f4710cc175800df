package a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var ErrRevoked = errors.New("proctor: exam was handed to somebody else")

// lease is the right of one proctor to watch an exam.
type lease struct {
	proctor  string
	lastSeen time.Time // guarded by Desk.mu

	once  sync.Once
	ended chan struct{}
	why   string
}

func (l *lease) end(why string) {
	l.once.Do(func() {
		l.why = why
		close(l.ended)
	})
}

// Desk assigns proctors to exams.
type Desk struct {
	timeout time.Duration

	mu    sync.Mutex
	exams map[string]*lease
}

func NewDesk(timeout time.Duration) *Desk {
	return &Desk{timeout: timeout, exams: make(map[string]*lease)}
}

// Take gives the exam to a proctor, whoever had it before loses it.
func (d *Desk) Take(exam, proctor string) *lease {
	l := &lease{proctor: proctor, lastSeen: time.Now(), ended: make(chan struct{})}
	d.mu.Lock()
	prev := d.exams[exam]
	d.exams[exam] = l
	d.mu.Unlock()

	if prev != nil {
		prev.end("taken over by " + proctor)
	}
	return l
}

// Beat keeps the lease alive.
func (d *Desk) Beat(exam string, l *lease) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.exams[exam] != l {
		return ErrRevoked
	}
	l.lastSeen = time.Now()
	return nil
}

// Leave gives the exam back.
func (d *Desk) Leave(exam string, l *lease) {
	d.mu.Lock()
	if d.exams[exam] == l {
		delete(d.exams, exam)
	}
	d.mu.Unlock()
	l.end("left")
}

func (d *Desk) silent(now time.Time) []*lease {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []*lease
	for exam, l := range d.exams {
		if now.Sub(l.lastSeen) > d.timeout {
			delete(d.exams, exam)
			out = append(out, l)
		}
	}
	return out
}

// Watchdog ends the leases of proctors whose browser is gone.
func (d *Desk) Watchdog(ctx context.Context) {
	t := time.NewTicker(d.timeout / 2)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			for _, l := range d.silent(now) {
				l.end("no sign of life")
			}
		case <-ctx.Done():
			return
		}
	}
}

func (d *Desk) HandleWatch(w http.ResponseWriter, r *http.Request) {
	exam, proctor := r.FormValue("exam"), r.FormValue("proctor")
	l := d.Take(exam, proctor)
	defer d.Leave(exam, l)
	beat := time.NewTicker(d.timeout / 4)
	defer beat.Stop()
	for {
		select {
		case <-l.ended:
			fmt.Fprintln(w, "event: ended\ndata:", l.why)
			return
		case <-r.Context().Done():
			return
		case <-beat.C:
			if _, err := fmt.Fprintln(w, "event: ping"); err != nil {
				return
			}
			if err := d.Beat(exam, l); err != nil {
				continue
			}
		}
	}
}
