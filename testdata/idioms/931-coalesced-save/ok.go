// Package roomsave writes the state of a game room to the database in the
// background. Changes that come while a save is running share the next one.
package roomsave

import (
	"context"
	"log"
	"maps"
	"sync"
	"time"
)

// Seat is the state of one player in the room.
type Seat struct {
	Player string
	Score  int
	Ready  bool
}

// Image is a complete copy of a room's state.
type Image struct {
	Room  string
	Rev   uint64
	Seats map[int]Seat
}

// DB stores images. A later image replaces an earlier one.
type DB interface {
	SaveRoom(ctx context.Context, im Image) error
}

// Room is the state of one room. Players' connections call its methods
// concurrently.
type Room struct {
	name  string
	saver *saver

	mu    sync.Mutex
	rev   uint64
	seats map[int]Seat
}

// NewRoom returns an empty room that is saved to db.
func NewRoom(name string, db DB) *Room {
	r := &Room{name: name, seats: make(map[int]Seat)}
	r.saver = newSaver(func(ctx context.Context) error { return db.SaveRoom(ctx, r.image()) })
	return r
}

// image returns a copy of the present state.
func (r *Room) image() Image {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Image{Room: r.name, Rev: r.rev, Seats: maps.Clone(r.seats)}
}

// change applies fn to a seat and has the room saved.
func (r *Room) change(no int, fn func(*Seat)) {
	r.mu.Lock()
	s := r.seats[no]
	fn(&s)
	r.seats[no] = s
	r.rev++
	r.mu.Unlock()
	r.saver.kick()
}

// Sit puts a player on a seat.
func (r *Room) Sit(no int, player string) {
	r.change(no, func(s *Seat) { *s = Seat{Player: player} })
}

// Score adds points to a seat.
func (r *Room) Score(no, points int) {
	r.change(no, func(s *Seat) { s.Score += points })
}

// SetReady sets the ready mark of a seat.
func (r *Room) SetReady(no int, ready bool) {
	r.change(no, func(s *Seat) { s.Ready = ready })
}

// Sync returns when all changes made before the call have been saved.
func (r *Room) Sync() { r.saver.drain() }

const (
	saveTimeout = 10 * time.Second
	retryDelay  = 2 * time.Second
)

// saver runs save in the background, one call at a time, so that every kick is
// followed by the start of a save.
type saver struct {
	save func(context.Context) error

	mu      sync.Mutex
	rest    sync.Cond // signalled when running becomes false
	pending bool      // kicked since the last save started
	running bool      // there is a goroutine in loop
}

func newSaver(save func(context.Context) error) *saver {
	s := &saver{save: save}
	s.rest.L = &s.mu
	return s
}

// kick asks for a save.
func (s *saver) kick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = true
	if !s.running {
		s.running = true
		go s.loop()
	}
}

// begin starts a round of the loop. It returns false when there is nothing to
// do and the loop has to end.
func (s *saver) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.pending {
		s.running = false
		s.rest.Broadcast()
		return false
	}
	s.pending = false
	return true
}

// loop saves until there is nothing left to save.
func (s *saver) loop() {
	for s.begin() {
		ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
		err := s.save(ctx)
		cancel()
		if err == nil {
			continue
		}
		log.Printf("roomsave: %v", err)
		s.mu.Lock()
		s.pending = true
		s.mu.Unlock()
		time.Sleep(retryDelay)
	}
}

// drain waits until there is nothing left to save.
func (s *saver) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.running {
		s.rest.Wait()
	}
}
