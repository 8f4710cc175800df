package a

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

type Status string

const (
	Online  Status = "online"
	Away    Status = "away"
	Offline Status = "offline"
)

type session struct {
	user    string
	status  Status
	devices int
	beat    uint64
	idle    *time.Timer
}

// Presence shows the contacts of a chat who is there.
type Presence struct {
	idleAfter time.Duration

	mu       sync.Mutex
	sessions map[string]*session
	watchers map[chan Status]string // watched user
}

func NewPresence(idleAfter time.Duration) *Presence {
	return &Presence{
		idleAfter: idleAfter,
		sessions:  make(map[string]*session),
		watchers:  make(map[chan Status]string),
	}
}

// Watch subscribes to the status of a user, slow readers skip states.
func (p *Presence) Watch(user string) (updates <-chan Status, cancel func()) {
	ch := make(chan Status, 8)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watchers[ch] = user
	return ch, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watchers, ch)
	}
}

func (p *Presence) setLocked(s *session, st Status) {
	if s.status == st {
		return
	}
	s.status = st
	for ch, user := range p.watchers {
		if user != s.user {
			continue
		}
		select {
		case ch <- st:
		default:
		}
	}
}

func (p *Presence) Connect(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sessions[user]
	if !ok {
		s = &session{user: user, status: Offline}
		p.sessions[user] = s
	}
	s.devices++
	p.activeLocked(s)
}

func (p *Presence) Disconnect(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sessions[user]
	if !ok || s.devices == 0 {
		return
	}
	s.devices--
	if s.devices == 0 {
		s.beat++
		s.idle.Stop()
		p.setLocked(s, Offline)
	}
}

// Activity is reported whenever the user does something.
func (p *Presence) Activity(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.sessions[user]
	if ok && s.devices > 0 {
		p.activeLocked(s)
	}
}

func (p *Presence) activeLocked(s *session) {
	if s.idle != nil {
		s.idle.Stop()
	}
	s.beat++
	beat := s.beat
	s.idle = time.AfterFunc(p.idleAfter, func() { p.wentIdle(s, beat) })
	p.setLocked(s, Online)
}

func (p *Presence) wentIdle(s *session, beat uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.beat != beat {
		return
	}
	p.setLocked(s, Away)
}

func (p *Presence) Status(user string) Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, ok := p.sessions[user]; ok {
		return s.status
	}
	return Offline
}

func (p *Presence) HandleStatus(w http.ResponseWriter, r *http.Request) {
	_ = json.NewEncoder(w).Encode(p.Status(r.FormValue("user")))
}
