// Package ok shows who is typing in a chat room.
package ok

import (
	"slices"
	"sync"
	"time"
)

// Notify tells the clients of a room who is typing. It gets a version that
// grows with each change; clients ignore what is older than what they have.
type Notify func(room string, version uint64, users []string)

type typist struct {
	stamp uint64
	timer *time.Timer
}

// room is the state of one chat room.
type room struct {
	name   string
	ttl    time.Duration
	notify Notify

	mu      sync.Mutex
	stamp   uint64
	version uint64
	typists map[string]*typist
}

// viewLocked makes a new version of the list of users.
func (r *room) viewLocked() (uint64, []string) {
	r.version++
	users := make([]string, 0, len(r.typists))
	for u := range r.typists {
		users = append(users, u)
	}
	slices.Sort(users)
	return r.version, users
}

func (r *room) keystroke(user string) {
	r.mu.Lock()
	r.stamp++
	stamp := r.stamp
	old, known := r.typists[user]
	if known {
		old.timer.Stop()
	}
	r.typists[user] = &typist{
		stamp: stamp,
		timer: time.AfterFunc(r.ttl, func() { r.expire(user, stamp) }),
	}
	if known {
		r.mu.Unlock()
		return
	}
	version, users := r.viewLocked()
	r.mu.Unlock()
	r.notify(r.name, version, users)
}

// expire drops a user whose last keystroke is the one with that stamp. A timer
// that has fired just before it was stopped finds a newer stamp here.
func (r *room) expire(user string, stamp uint64) {
	r.mu.Lock()
	t, ok := r.typists[user]
	if !ok || t.stamp != stamp {
		r.mu.Unlock()
		return
	}
	delete(r.typists, user)
	version, users := r.viewLocked()
	r.mu.Unlock()
	r.notify(r.name, version, users)
}

func (r *room) sent(user string) {
	r.mu.Lock()
	t, ok := r.typists[user]
	if !ok {
		r.mu.Unlock()
		return
	}
	t.timer.Stop()
	delete(r.typists, user)
	version, users := r.viewLocked()
	r.mu.Unlock()
	r.notify(r.name, version, users)
}

// Service has the rooms.
type Service struct {
	ttl    time.Duration
	notify Notify
	rooms  sync.Map // string -> *room
}

func NewService(ttl time.Duration, n Notify) *Service {
	return &Service{ttl: ttl, notify: n}
}

func (s *Service) room(name string) *room {
	if r, ok := s.rooms.Load(name); ok {
		return r.(*room)
	}
	r, _ := s.rooms.LoadOrStore(name, &room{
		name: name, ttl: s.ttl, notify: s.notify, typists: make(map[string]*typist),
	})
	return r.(*room)
}

// Typing is called for each keystroke, Sent when the message is off.
func (s *Service) Typing(room, user string) { s.room(room).keystroke(user) }

// Sent takes the user off the list.
func (s *Service) Sent(room, user string) { s.room(room).sent(user) }
