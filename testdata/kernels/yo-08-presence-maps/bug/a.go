// Package presence tracks which users are in which rooms.
package presence

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

var ErrOffline = errors.New("presence: user is offline")

type set map[string]struct{}

type Directory struct {
	mu sync.Mutex
	// rooms holds one entry per online user.
	rooms map[string]set
	// members is the reverse: room to users.
	members map[string]set
}

func New() *Directory {
	return &Directory{rooms: make(map[string]set), members: make(map[string]set)}
}

func (d *Directory) Connect(user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.rooms[user]; !ok {
		d.rooms[user] = make(set)
	}
}

// Disconnect takes user out of every room.
func (d *Directory) Disconnect(user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for room := range d.rooms[user] {
		d.unlink(room, user)
	}
	delete(d.rooms, user)
}

// unlink removes user from room; d.mu is held.
func (d *Directory) unlink(room, user string) {
	us := d.members[room]
	delete(us, user)
	if len(us) == 0 {
		delete(d.members, room)
	}
}

func (d *Directory) noteRoom(user, room string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	rs, ok := d.rooms[user]
	if !ok {
		return ErrOffline
	}
	rs[room] = struct{}{}
	return nil
}

func (d *Directory) noteMember(room, user string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	us, ok := d.members[room]
	if !ok {
		us = make(set)
		d.members[room] = us
	}
	us[user] = struct{}{}
}

// Join puts an online user into room.
func (d *Directory) Join(user, room string) error {
	if err := d.noteRoom(user, room); err != nil {
		return err
	}
	d.noteMember(room, user)
	return nil
}

func (d *Directory) Leave(user, room string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rooms[user], room)
	d.unlink(room, user)
}

// Members lists the users in room in order.
func (d *Directory) Members(room string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.members[room]))
}
