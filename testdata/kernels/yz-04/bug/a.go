package a

import (
	"strings"
	"sync"
	"time"
)

type Track struct {
	mu      sync.RWMutex
	lang    string
	seq     uint64
	text    string
	updated time.Time
}

func (t *Track) Publish(text string, now time.Time) uint64 {
	text = strings.TrimSpace(text)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq++
	t.text = text
	t.updated = now
	return t.seq
}

func (t *Track) Seq() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.seq
}

func (t *Track) Text() string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.text
}

func (t *Track) Idle(now time.Time) time.Duration {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return now.Sub(t.updated)
}

type Cue struct {
	Lang string
	Seq  uint64
	Text string
}

type Stream struct {
	mu     sync.Mutex
	tracks map[string]*Track
}

func NewStream(langs ...string) *Stream {
	s := &Stream{tracks: make(map[string]*Track, len(langs))}
	for _, l := range langs {
		s.tracks[l] = &Track{lang: l}
	}
	return s
}

func (s *Stream) track(lang string) *Track {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tracks[lang]
	if !ok {
		t = &Track{lang: lang}
		s.tracks[lang] = t
	}
	return t
}

func (s *Stream) Caption(lang, text string) uint64 {
	return s.track(lang).Publish(text, time.Now())
}

// Poll returns the current cue if the player has not seen it yet. The player
// sends the sequence number of the cue back with its next call.
func (s *Stream) Poll(lang string, seen uint64) (Cue, bool) {
	t := s.track(lang)
	seq := t.Seq()
	if seq <= seen {
		return Cue{}, false
	}
	text := t.Text()
	return Cue{Lang: t.lang, Seq: seq, Text: text}, true
}

func (s *Stream) Silent(lang string, limit time.Duration) bool {
	return s.track(lang).Idle(time.Now()) > limit
}
