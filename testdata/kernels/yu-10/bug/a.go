package a

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

var ErrNotWatching = errors.New("proctor: not watching this candidate")

// Session is one candidate's exam, watched by at most one proctor.
type Session struct {
	candidate string
	started   time.Time

	mu      sync.Mutex
	proctor string
	revoked chan struct{} // closed when the proctor loses the session
	notes   []string
}

type Hall struct {
	mu       sync.RWMutex
	sessions map[string]*Session
	audit    *log.Logger
}

func NewHall(audit *log.Logger) *Hall {
	return &Hall{sessions: make(map[string]*Session), audit: audit}
}

// Open returns the session of a candidate, starting it when needed.
func (h *Hall) Open(candidate string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.sessions[candidate]
	if !ok {
		s = &Session{candidate: candidate, started: time.Now()}
		h.sessions[candidate] = s
	}
	return s
}

// Takeover makes proctor the one who watches the session. The returned
// channel is closed when somebody else takes over.
func (h *Hall) Takeover(s *Session, proctor string) <-chan struct{} {
	s.mu.Lock()
	prev, old := s.proctor, s.revoked
	s.mu.Unlock()

	if old != nil {
		h.audit.Printf("%s: %s hands over to %s", s.candidate, prev, proctor)
		close(old)
	}

	mine := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proctor = proctor
	s.revoked = mine
	s.notes = append(s.notes, "watched by "+proctor)
	return mine
}

// Note adds a remark, only the current proctor may do so.
func (s *Session) Note(proctor, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if proctor == "" || s.proctor != proctor {
		return ErrNotWatching
	}
	s.notes = append(s.notes, fmt.Sprintf("%s: %s", proctor, text))
	return nil
}

func (s *Session) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.notes...)
}

// HandleWatch keeps the request open while the proctor has the session.
func (h *Hall) HandleWatch(w http.ResponseWriter, r *http.Request) {
	proctor := r.FormValue("proctor")
	if proctor == "" {
		http.Error(w, "proctor is missing", http.StatusBadRequest)
		return
	}
	s := h.Open(r.FormValue("candidate"))
	lost := h.Takeover(s, proctor)
	w.WriteHeader(http.StatusOK)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	select {
	case <-lost:
		fmt.Fprintln(w, "taken over")
	case <-r.Context().Done():
	}
}

func (h *Hall) HandleNote(w http.ResponseWriter, r *http.Request) {
	s := h.Open(r.FormValue("candidate"))
	if err := s.Note(r.FormValue("proctor"), r.FormValue("text")); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
	}
}
