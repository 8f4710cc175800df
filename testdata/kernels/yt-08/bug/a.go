// Package poll runs online polls.
package poll

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

var (
	ErrNoPoll   = errors.New("poll: no such poll")
	ErrClosed   = errors.New("poll: poll is closed")
	ErrTwice    = errors.New("poll: ballot was already cast")
	ErrNoOption = errors.New("poll: no such option")
)

type Result struct {
	Poll   string         `json:"poll"`
	Winner string         `json:"winner"`
	Votes  map[string]int `json:"votes"`
	At     time.Time      `json:"at"`
}

// Archive keeps results for ever.
type Archive interface {
	Save(ctx context.Context, r Result) error
}

type poll struct {
	id      string
	options []string

	mu     sync.RWMutex
	voters map[string]string // voter -> receipt
	votes  map[string]int
	sealed bool
	result *Result
}

func (p *poll) cast(voter, option string) (string, error) {
	if !slices.Contains(p.options, option) {
		return "", ErrNoOption
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealed {
		return "", ErrClosed
	}
	if _, ok := p.voters[voter]; ok {
		return "", ErrTwice
	}
	receipt := rand.Text()
	p.voters[voter] = receipt
	p.votes[option]++
	return receipt, nil
}

// count returns the votes of an open poll.
func (p *poll) count() (map[string]int, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.sealed {
		return nil, ErrClosed
	}
	return maps.Clone(p.votes), nil
}

// seal ends the poll with the result given.
func (p *poll) seal(r Result) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealed {
		return ErrClosed
	}
	p.sealed = true
	p.result = &r
	return nil
}

func (p *poll) outcome() *Result {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.result
}

func winner(options []string, votes map[string]int) (best string) {
	for _, o := range options {
		if best == "" || votes[o] > votes[best] {
			best = o
		}
	}
	return best
}

type Service struct {
	archive Archive
	mu      sync.RWMutex
	polls   map[string]*poll
}

func NewService(a Archive) *Service {
	return &Service{archive: a, polls: make(map[string]*poll)}
}

func (s *Service) Create(id string, options ...string) {
	p := &poll{id: id, options: options, voters: make(map[string]string), votes: make(map[string]int)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.polls[id] == nil {
		s.polls[id] = p
	}
}

func (s *Service) find(id string) (*poll, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.polls[id]
	if p == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoPoll, id)
	}
	return p, nil
}

// Close ends the poll and archives the result.
func (s *Service) Close(ctx context.Context, id string) (Result, error) {
	p, err := s.find(id)
	if err != nil {
		return Result{}, err
	}
	votes, err := p.count()
	if err != nil {
		return Result{}, err
	}
	res := Result{Poll: id, Winner: winner(p.options, votes), Votes: votes, At: time.Now()}
	if err := s.archive.Save(ctx, res); err != nil {
		return Result{}, fmt.Errorf("archive poll %s: %w", id, err)
	}
	return res, p.seal(res)
}

func (s *Service) ServeCast(w http.ResponseWriter, r *http.Request) {
	p, err := s.find(r.PathValue("poll"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	receipt, err := p.cast(r.FormValue("voter"), r.FormValue("option"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	fmt.Fprintln(w, receipt)
}

func (s *Service) ServeResult(w http.ResponseWriter, r *http.Request) {
	p, err := s.find(r.PathValue("poll"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(p.outcome())
}
