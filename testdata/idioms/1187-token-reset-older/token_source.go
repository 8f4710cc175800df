package transport

import (
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Token is a bearer token.
type Token struct {
	AccessToken string
	Expiry      time.Time
}

// TokenSource is anything that can return a token.
type TokenSource interface {
	Token() (*Token, error)
}

type fileTokenSource struct {
	path   string
	period time.Duration
}

func (ts *fileTokenSource) Token() (*Token, error) {
	tokb, err := os.ReadFile(ts.path)
	if err != nil {
		return nil, err
	}
	return &Token{
		AccessToken: strings.TrimSpace(string(tokb)),
		Expiry:      time.Now().Add(ts.period),
	}, nil
}

// NewCachedFileTokenSource returns a resettable token source which reads a
// token from a file at a specified path and periodically reloads it.
func NewCachedFileTokenSource(path string) *cachingTokenSource {
	return &cachingTokenSource{
		now:    time.Now,
		leeway: 10 * time.Second,
		base: &fileTokenSource{
			path: path,
			// This period was picked because it is half of the duration between when the kubelet
			// refreshes a projected service account token and when the original token expires.
			period: time.Minute,
		},
	}
}

type cachingTokenSource struct {
	base   TokenSource
	leeway time.Duration

	sync.RWMutex
	tok *Token
	t   time.Time

	// for testing
	now func() time.Time
}

// Token is called by every request, from many goroutines.
func (ts *cachingTokenSource) Token() (*Token, error) {
	now := ts.now()
	// fast path
	ts.RLock()
	tok := ts.tok
	ts.RUnlock()

	if tok != nil && tok.Expiry.Add(-1*ts.leeway).After(now) {
		return tok, nil
	}

	// slow path
	ts.Lock()
	defer ts.Unlock()
	if tok := ts.tok; tok != nil && tok.Expiry.Add(-1*ts.leeway).After(now) {
		return tok, nil
	}

	tok, err := ts.base.Token()
	if err != nil {
		if ts.tok == nil {
			return nil, err
		}
		return ts.tok, nil
	}

	ts.t = ts.now()
	ts.tok = tok
	return tok, nil
}

// ResetTokenOlderThan drops the token if it was acquired before t.
func (ts *cachingTokenSource) ResetTokenOlderThan(t time.Time) {
	ts.Lock()
	defer ts.Unlock()
	if ts.t.Before(t) {
		ts.tok = nil
		ts.t = time.Time{}
	}
}

type tokenSourceTransport struct {
	base http.RoundTripper
	src  *cachingTokenSource
}

// NewTransport returns a round tripper that injects the tokens of src.
func NewTransport(base http.RoundTripper, src *cachingTokenSource) http.RoundTripper {
	return &tokenSourceTransport{base: base, src: src}
}

func (tst *tokenSourceTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	// This is to allow --token to override other bearer token providers.
	if req.Header.Get("Authorization") != "" {
		return tst.base.RoundTrip(req)
	}
	// record time before RoundTrip to make sure newly acquired Unauthorized
	// token would not be reset. Another request from user is required to reset
	// and proceed.
	start := time.Now()
	resp, err := tst.roundTrip(req)
	if err == nil && resp != nil && resp.StatusCode == 401 && tst.src != nil {
		tst.src.ResetTokenOlderThan(start)
	}
	return resp, err
}

func (tst *tokenSourceTransport) roundTrip(req *http.Request) (*http.Response, error) {
	tok, err := tst.src.Token()
	if err != nil {
		return nil, err
	}
	req2 := req.Clone(req.Context())
	req2.Header.Set("Authorization", "Bearer "+tok.AccessToken)
	return tst.base.RoundTrip(req2)
}
