package a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	ErrTaken      = errors.New("diary: no chair is free at that time")
	ErrNotCovered = errors.New("diary: treatment is not covered")
)

// Insurer answers whether a treatment is paid for, which takes a second or two.
type Insurer interface {
	Covers(ctx context.Context, patient, treatment string) (bool, error)
}

type Visit struct {
	Patient   string    `json:"patient"`
	Treatment string    `json:"treatment"`
	Start     time.Time `json:"start"`
	Chair     int       `json:"chair"`
}

// Diary is the appointment book of a dentist with several chairs.
type Diary struct {
	chairs  int
	insurer Insurer

	mu     sync.RWMutex
	visits map[time.Time][]Visit
}

func NewDiary(chairs int, ins Insurer) *Diary {
	return &Diary{chairs: chairs, insurer: ins, visits: make(map[time.Time][]Visit)}
}

func (d *Diary) freeChairLocked(at time.Time) (int, bool) {
	taken := make(map[int]bool, d.chairs)
	for _, v := range d.visits[at] {
		taken[v.Chair] = true
	}
	for c := 1; c <= d.chairs; c++ {
		if !taken[c] {
			return c, true
		}
	}
	return 0, false
}

// Available is what the booking page shows.
func (d *Diary) Available(at time.Time) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	_, ok := d.freeChairLocked(at)
	return ok
}

// Book enters a visit. The insurer is not asked about times that are taken
// anyway.
func (d *Diary) Book(ctx context.Context, patient, treatment string, at time.Time) (Visit, error) {
	if !d.Available(at) {
		return Visit{}, ErrTaken
	}
	covered, err := d.insurer.Covers(ctx, patient, treatment)
	if err != nil {
		return Visit{}, fmt.Errorf("diary: insurer: %w", err)
	}
	if !covered {
		return Visit{}, ErrNotCovered
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	chair, ok := d.freeChairLocked(at)
	if !ok {
		return Visit{}, ErrTaken
	}
	v := Visit{Patient: patient, Treatment: treatment, Start: at, Chair: chair}
	d.visits[at] = append(d.visits[at], v)
	return v, nil
}

func (d *Diary) Cancel(patient string, at time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, v := range d.visits[at] {
		if v.Patient == patient {
			d.visits[at] = append(d.visits[at][:i], d.visits[at][i+1:]...)
			return true
		}
	}
	return false
}

func (d *Diary) HandleBook(w http.ResponseWriter, r *http.Request) {
	at, err := time.Parse("2006-01-02T15:04", r.FormValue("at"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	v, err := d.Book(r.Context(), r.FormValue("patient"), r.FormValue("treatment"), at)
	switch {
	case errors.Is(err, ErrTaken):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	default:
		_ = json.NewEncoder(w).Encode(v)
	}
}
