package a

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Member is a connected chat user.
type Member struct {
	Nick string
	Out  chan string
}

type room struct {
	name string

	mu      sync.Mutex
	members map[*Member]struct{}
}

func newRoom(name string) *room {
	return &room{name: name, members: make(map[*Member]struct{})}
}

func (r *room) add(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[m] = struct{}{}
}

func (r *room) remove(m *Member) (left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, m)
	return len(r.members)
}

func (r *room) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range r.members {
		select {
		case m.Out <- text:
		default:
		}
	}
}

// Hub holds the rooms that have at least one member.
type Hub struct {
	rooms sync.Map // name -> *room
}

// Join puts m into the named room and creates the room if need be.
func (h *Hub) Join(name string, m *Member) {
	v, _ := h.rooms.LoadOrStore(name, newRoom(name))
	r := v.(*room)
	r.add(m)
	r.say(m.Nick + " joined")
}

// Leave takes m out of the room; rooms without members disappear.
func (h *Hub) Leave(name string, m *Member) {
	v, ok := h.rooms.Load(name)
	if !ok {
		return
	}
	r := v.(*room)
	if r.remove(m) == 0 {
		h.rooms.Delete(name)
		return
	}
	r.say(m.Nick + " left")
}

// Say delivers text to everyone in the room.
func (h *Hub) Say(name, text string) bool {
	v, ok := h.rooms.Load(name)
	if !ok {
		return false
	}
	v.(*room).say(text)
	return true
}

func (h *Hub) Names() []string {
	var out []string
	h.rooms.Range(func(k, _ any) bool {
		out = append(out, k.(string))
		return true
	})
	return out
}

func (h *Hub) serveConn(c net.Conn) {
	defer c.Close()
	m := &Member{Nick: c.RemoteAddr().String(), Out: make(chan string, 32)}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case line := <-m.Out:
				fmt.Fprintln(c, line)
			case <-done:
				return
			}
		}
	}()

	current := ""
	sc := bufio.NewScanner(c)
	for sc.Scan() {
		line := sc.Text()
		if name, ok := strings.CutPrefix(line, "/join "); ok {
			if current != "" {
				h.Leave(current, m)
			}
			current = name
			h.Join(current, m)
			continue
		}
		if current != "" {
			h.Say(current, m.Nick+": "+line)
		}
	}
	if current != "" {
		h.Leave(current, m)
	}
}

// Serve accepts chat connections until the listener is closed.
func (h *Hub) Serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go h.serveConn(c)
	}
}
