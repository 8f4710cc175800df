package a

import (
	"context"
	"sync"
	"time"
)

// Token is an access token of the identity provider.
type Token struct {
	Value   string
	Expires time.Time
}

// IssueFunc asks the identity provider for a token.
type IssueFunc func(ctx context.Context) (Token, error)

// TokenSource caches the token of a service account. Invalidate is called
// when the account's key was rotated; tokens asked for before are void.
type TokenSource struct {
	issue IssueFunc
	slack time.Duration

	mu  sync.Mutex
	tok Token
	gen uint64
}

// NewTokenSource makes a source that renews tokens slack before their end.
func NewTokenSource(slack time.Duration, issue IssueFunc) *TokenSource {
	return &TokenSource{issue: issue, slack: slack}
}

// cached returns the token at hand, the generation it belongs to, and
// whether the token can still be used.
func (s *TokenSource) cached() (tok Token, gen uint64, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tok, s.gen, time.Now().Add(s.slack).Before(s.tok.Expires)
}

// install keeps a token that was asked for in generation gen. It refuses
// when the generation is over.
func (s *TokenSource) install(tok Token, gen uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isCurrentLocked(gen) {
		return false
	}
	// Two callers may have asked at the same time; the longer token stays.
	if tok.Expires.After(s.tok.Expires) {
		s.tok = tok
	}
	return true
}

func (s *TokenSource) isCurrentLocked(gen uint64) bool { return s.gen == gen }

// Token returns a token, from the cache if possible.
func (s *TokenSource) Token(ctx context.Context) (Token, error) {
	for {
		tok, gen, fresh := s.cached()
		if fresh {
			return tok, nil
		}
		if err := ctx.Err(); err != nil {
			return Token{}, err
		}
		// The provider is slow, others may use the old generation's cache
		// or invalidate it in the meantime.
		tok, err := s.issue(ctx)
		if err != nil {
			return Token{}, err
		}
		if s.install(tok, gen) {
			return tok, nil
		}
	}
}

// Invalidate voids the cached token and all that are being asked for.
func (s *TokenSource) Invalidate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gen++
	s.tok = Token{}
}

// Generation counts the invalidations.
func (s *TokenSource) Generation() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gen
}
