// Package chat implements the rooms of the chat server. Rooms come into being
// with their first member and go away with the last one.
package chat

import (
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	ErrNameTaken = errors.New("chat: name is taken in this room")
	ErrNotMember = errors.New("chat: not a member of this room")
)

// Message is one line of a conversation.
type Message struct {
	Room string
	From string
	Text string
	At   time.Time
}

// Outbox is the send queue of a connection.
type Outbox chan<- Message

// Room is a set of members.
type Room struct {
	name string

	mu      sync.Mutex
	members map[string]Outbox
}

func newRoom(name string) *Room {
	return &Room{name: name, members: make(map[string]Outbox)}
}

// add makes user a member.
func (r *Room) add(user string, out Outbox) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[user]; ok {
		return ErrNameTaken
	}
	r.members[user] = out
	return nil
}

// remove ends the membership of user and returns the number of members left.
func (r *Room) remove(user string) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[user]; !ok {
		return 0, ErrNotMember
	}
	delete(r.members, user)
	return len(r.members), nil
}

// broadcast sends a line to every member. Members whose queue is full miss it.
func (r *Room) broadcast(from, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[from]; !ok {
		return ErrNotMember
	}
	m := Message{Room: r.name, From: from, Text: text, At: time.Now()}
	for _, out := range r.members {
		select {
		case out <- m:
		default:
		}
	}
	return nil
}

// Server holds the rooms. Connections call it concurrently.
type Server struct {
	mu    sync.Mutex
	rooms map[string]*Room
}

// NewServer returns a server without rooms.
func NewServer() *Server {
	return &Server{rooms: make(map[string]*Room)}
}

// room returns the named room, or nil.
func (s *Server) room(name string) *Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rooms[name]
}

// Join makes user a member of a room; lines are sent to out.
func (s *Server) Join(name, user string, out Outbox) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rooms[name]
	if !ok {
		r = newRoom(name)
		s.rooms[name] = r
	}
	return r.add(user, out)
}

// Leave ends the membership of user.
func (s *Server) Leave(name, user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rooms[name]
	if !ok {
		return ErrNotMember
	}
	left, err := r.remove(user)
	if err != nil {
		return err
	}
	if left == 0 {
		delete(s.rooms, name)
	}
	return nil
}

// Say sends a line to the members of a room.
func (s *Server) Say(name, user, text string) error {
	r := s.room(name)
	if r == nil {
		return ErrNotMember
	}
	return r.broadcast(user, text)
}

// Rooms lists the rooms in order.
func (s *Server) Rooms() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.rooms))
	for n := range s.rooms {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
