package a

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

type Vehicle struct {
	Plate      string `json:"plate"`
	Kilos      int    `json:"kilos"`
	Passengers int    `json:"passengers"`
}

// Sheet is the manifest handed to the port authority.
type Sheet struct {
	Ferry    string    `json:"ferry"`
	Printed  time.Time `json:"printed"`
	Vehicles []Vehicle `json:"vehicles"`
	People   int       `json:"people"`
	Kilos    int       `json:"kilos"`
}

const (
	lowerDeck = "lower"
	upperDeck = "upper"
)

// Ferry tracks what stands on which deck.
type Ferry struct {
	name  string
	limit map[string]int

	mu    sync.Mutex
	decks map[string][]Vehicle
}

func NewFerry(name string, lowerKilos, upperKilos int) *Ferry {
	return &Ferry{
		name:  name,
		limit: map[string]int{lowerDeck: lowerKilos, upperDeck: upperKilos},
		decks: make(map[string][]Vehicle),
	}
}

func (f *Ferry) withLock(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
}

func (f *Ferry) loadLocked(deck string) int {
	sum := 0
	for _, v := range f.decks[deck] {
		sum += v.Kilos
	}
	return sum
}

// Board drives a vehicle onto a deck.
func (f *Ferry) Board(deck string, v Vehicle) (err error) {
	f.withLock(func() {
		if f.loadLocked(deck)+v.Kilos > f.limit[deck] {
			err = fmt.Errorf("%s deck: no room for %s", deck, v.Plate)
			return
		}
		f.decks[deck] = append(f.decks[deck], v)
	})
	return err
}

// Move shifts a vehicle to the other deck to trim the ship.
func (f *Ferry) Move(plate, from, to string) error {
	err := errors.New("no such vehicle on the deck")
	f.withLock(func() {
		for i, v := range f.decks[from] {
			if v.Plate != plate {
				continue
			}
			if f.loadLocked(to)+v.Kilos > f.limit[to] {
				err = fmt.Errorf("%s deck: no room for %s", to, plate)
				return
			}
			f.decks[from] = append(f.decks[from][:i], f.decks[from][i+1:]...)
			f.decks[to] = append(f.decks[to], v)
			err = nil
			return
		}
	})
	return err
}

// Sheet lists everything that is aboard.
func (f *Ferry) Sheet() Sheet {
	s := Sheet{Ferry: f.name, Printed: time.Now()}
	f.withLock(func() {
		s.Vehicles = append(s.Vehicles, f.decks[lowerDeck]...)
		s.Vehicles = append(s.Vehicles, f.decks[upperDeck]...)
	})
	for _, v := range s.Vehicles {
		s.People += v.Passengers
		s.Kilos += v.Kilos
	}
	return s
}

func (f *Ferry) HandleSheet(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(f.Sheet())
}

func (f *Ferry) HandleMove(w http.ResponseWriter, r *http.Request) {
	if err := f.Move(r.FormValue("plate"), r.FormValue("from"), r.FormValue("to")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
