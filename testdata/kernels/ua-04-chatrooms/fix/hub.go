// Package chat implements the room part of a line based chat server.
package chat

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Client is one connected user.
type Client struct {
	Nick string
	out  chan string
}

// Room is a set of clients that see each other's messages.
type Room struct {
	name string

	mu      sync.Mutex
	members map[*Client]struct{}
}

func (r *Room) add(c *Client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[c] = struct{}{}
}

// remove takes c out and reports whether the room is empty afterwards.
func (r *Room) remove(c *Client) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, c)
	return len(r.members) == 0
}

func (r *Room) send(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.members {
		select {
		case c.out <- line:
		default: // slow reader
		}
	}
}

// Hub owns the rooms. A room exists as long as it has members.
type Hub struct {
	mu    sync.Mutex
	rooms map[string]*Room
}

// NewHub returns a hub without rooms.
func NewHub() *Hub {
	return &Hub{rooms: make(map[string]*Room)}
}

// Join puts c into the named room, creating the room if necessary.
func (h *Hub) Join(name string, c *Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rooms[name]
	if !ok {
		r = &Room{name: name, members: make(map[*Client]struct{})}
		h.rooms[name] = r
	}
	r.add(c)
}

// Leave takes c out of the named room and drops the room with its last member.
func (h *Hub) Leave(name string, c *Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rooms[name]
	if !ok {
		return
	}
	if r.remove(c) {
		delete(h.rooms, name)
	}
}

// Say sends a line to everybody in the named room.
func (h *Hub) Say(name, line string) {
	h.mu.Lock()
	r := h.rooms[name]
	h.mu.Unlock()
	if r != nil {
		r.send(line)
	}
}

// Serve accepts connections until ln is closed.
func (h *Hub) Serve(ctx context.Context, ln net.Listener) error {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go h.session(ctx, conn)
	}
}

func (h *Hub) session(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer conn.Close()
	c := &Client{Nick: conn.RemoteAddr().String(), out: make(chan string, 64)}
	go func() {
		for {
			select {
			case line := <-c.out:
				fmt.Fprintln(conn, line)
			case <-ctx.Done():
				return
			}
		}
	}()

	room := ""
	sc := bufio.NewScanner(conn)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if name, ok := strings.CutPrefix(line, "/join "); ok {
			if room != "" {
				h.Leave(room, c)
			}
			room = name
			h.Join(room, c)
			continue
		}
		if room != "" {
			h.Say(room, c.Nick+": "+line)
		}
	}
	if room != "" {
		h.Leave(room, c)
	}
}
