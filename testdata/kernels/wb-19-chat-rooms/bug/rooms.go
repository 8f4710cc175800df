// Package chat has the rooms of a chat server.
package chat

import (
	"errors"
	"sync"
)

// ErrNameTaken means that there is such a user in the room.
var ErrNameTaken = errors.New("chat: user is in the room already")

// Room is there as long as it has members.
type Room struct {
	name string

	mu      sync.Mutex
	members map[string]chan<- string
}

var (
	hubMu sync.Mutex // before Room.mu
	rooms = map[string]*Room{}
)

func open(name string) *Room {
	hubMu.Lock()
	defer hubMu.Unlock()
	r, ok := rooms[name]
	if !ok {
		r = &Room{name: name, members: make(map[string]chan<- string)}
		rooms[name] = r
	}
	return r
}

// Join lets a user into a room. Lines for the user go to inbox, or are dropped
// if it is full.
func Join(name, user string, inbox chan<- string) (*Room, error) {
	r := open(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[user]; ok {
		return nil, ErrNameTaken
	}
	r.members[user] = inbox
	return r, nil
}

// Leave takes a user out of the room. The last one closes it.
func (r *Room) Leave(user string) {
	hubMu.Lock()
	defer hubMu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[user]; !ok {
		return
	}
	delete(r.members, user)
	if len(r.members) == 0 {
		delete(rooms, r.name)
	}
}

// Say sends a line to everyone else in the room.
func (r *Room) Say(user, line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for who, inbox := range r.members {
		if who == user {
			continue
		}
		select {
		case inbox <- user + ": " + line:
		default:
		}
	}
}

// Open returns the number of rooms.
func Open() int {
	hubMu.Lock()
	defer hubMu.Unlock()
	return len(rooms)
}
