package a

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

const typingTTL = 4 * time.Second

type Event struct {
	User   string    `json:"user"`
	Kind   string    `json:"kind"`
	Typing bool      `json:"typing"`
	At     time.Time `json:"at"`
}

type member struct {
	name     string
	joined   time.Time
	typing   bool
	lastKey  time.Time
	stopping *time.Timer
}

// Room tracks who is present in a chat room and who is typing.
type Room struct {
	id string

	mu      sync.Mutex
	members map[string]*member
	outbox  []Event
}

func NewRoom(id string) *Room {
	return &Room{id: id, members: make(map[string]*member)}
}

func (r *Room) emitLocked(user, kind string, typing bool) {
	r.outbox = append(r.outbox, Event{User: user, Kind: kind, Typing: typing, At: time.Now()})
}

func (r *Room) Join(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.members[user]; ok {
		return
	}
	r.members[user] = &member{name: user, joined: time.Now()}
	r.emitLocked(user, "join", false)
}

func (r *Room) Leave(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.members[user]
	if !ok {
		return
	}
	if m.stopping != nil {
		m.stopping.Stop()
	}
	delete(r.members, user)
	r.emitLocked(user, "leave", false)
}

// Keystroke is called for every key press the client reports.
func (r *Room) Keystroke(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.members[user]
	if !ok {
		return
	}
	if m.stopping != nil {
		m.stopping.Stop()
	}
	m.lastKey = time.Now()
	m.stopping = time.AfterFunc(typingTTL, func() { r.typingEnded(m) })
	if !m.typing {
		m.typing = true
		r.emitLocked(user, "typing", true)
	}
}

func (r *Room) typingEnded(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !m.typing {
		return
	}
	m.typing = false
	m.stopping = nil
	r.emitLocked(m.name, "typing", false)
}

// Typing lists the users with an active indicator.
func (r *Room) Typing() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for name, m := range r.members {
		if m.typing {
			out = append(out, name)
		}
	}
	return out
}

// Drain returns the events since the last call, the fan-out worker uses it.
func (r *Room) Drain() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.outbox
	r.outbox = nil
	return out
}

func (r *Room) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	user := req.FormValue("user")
	switch req.URL.Path {
	case "/join":
		r.Join(user)
	case "/leave":
		r.Leave(user)
	case "/key":
		r.Keystroke(user)
	case "/typing":
		_ = json.NewEncoder(w).Encode(r.Typing())
	default:
		http.NotFound(w, req)
	}
}
