package a

import (
	"encoding/json"
	"errors"
	"net/http"
	"sort"
	"strconv"
	"sync"
	"time"
)

var (
	ErrFull    = errors.New("calendar: slot is full")
	ErrUnknown = errors.New("calendar: no such appointment")
)

// Slot is one bookable hour in a treatment room.
type Slot struct {
	Room string `json:"room"`
	Day  string `json:"day"`
	Hour int    `json:"hour"`
}

type Appointment struct {
	ID      int64     `json:"id"`
	Patient string    `json:"patient"`
	Slot    Slot      `json:"slot"`
	Created time.Time `json:"created"`
}

// Calendar keeps the appointments of one practice.
type Calendar struct {
	mu       sync.RWMutex
	capacity map[string]int
	bySlot   map[Slot][]int64
	byID     map[int64]Appointment
	lastID   int64
}

func NewCalendar(capacity map[string]int) *Calendar {
	c := &Calendar{
		capacity: make(map[string]int, len(capacity)),
		bySlot:   make(map[Slot][]int64),
		byID:     make(map[int64]Appointment),
	}
	for room, n := range capacity {
		c.capacity[room] = n
	}
	return c
}

// Free tells how many patients the slot can still take.
func (c *Calendar) Free(s Slot) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.freeLocked(s)
}

func (c *Calendar) freeLocked(s Slot) int {
	return c.capacity[s.Room] - len(c.bySlot[s])
}

func (c *Calendar) addLocked(patient string, s Slot) Appointment {
	c.lastID++
	a := Appointment{ID: c.lastID, Patient: patient, Slot: s, Created: time.Now()}
	c.byID[a.ID] = a
	c.bySlot[s] = append(c.bySlot[s], a.ID)
	return a
}

// Book reserves a place in the slot for the patient.
func (c *Calendar) Book(patient string, s Slot) (Appointment, error) {
	if patient == "" {
		return Appointment{}, errors.New("calendar: patient is missing")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freeLocked(s) <= 0 {
		return Appointment{}, ErrFull
	}
	return c.addLocked(patient, s), nil
}

func (c *Calendar) Cancel(id int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.byID[id]
	if !ok {
		return ErrUnknown
	}
	delete(c.byID, id)
	ids := c.bySlot[a.Slot]
	for i, other := range ids {
		if other == id {
			c.bySlot[a.Slot] = append(ids[:i], ids[i+1:]...)
			break
		}
	}
	return nil
}

// Day lists the appointments of a day ordered by hour.
func (c *Calendar) Day(day string) []Appointment {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []Appointment
	for _, a := range c.byID {
		if a.Slot.Day == day {
			out = append(out, a)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Slot.Hour < out[j].Slot.Hour })
	return out
}

func (c *Calendar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		_ = json.NewEncoder(w).Encode(c.Day(r.FormValue("day")))
	case http.MethodPost:
		hour, err := strconv.Atoi(r.FormValue("hour"))
		if err != nil {
			http.Error(w, "bad hour", http.StatusBadRequest)
			return
		}
		a, err := c.Book(r.FormValue("patient"), Slot{r.FormValue("room"), r.FormValue("day"), hour})
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(a)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}
