package docker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// fetchFunc gets a token from the authorization server.
type fetchFunc func(ctx context.Context, scopes []string) (token string, expires time.Duration, err error)

// authResult is used to control limit rate.
type authResult struct {
	sync.WaitGroup
	token          string
	expirationTime *time.Time
	err            error
}

// authHandler is used to handle auth request per registry server.
type authHandler struct {
	fetch fetchFunc

	sync.Mutex
	// scopedTokens caches token indexed by scopes, which used in
	// bearer auth case
	scopedTokens map[string]*authResult
}

func newAuthHandler(fetch fetchFunc) *authHandler {
	return &authHandler{fetch: fetch, scopedTokens: map[string]*authResult{}}
}

// usable tells whether the result can be waited for. The lock is held. A
// result that is not done yet is good, too: one fetch is enough.
func (ah *authHandler) usable(r *authResult) bool {
	return r.expirationTime == nil || r.expirationTime.After(time.Now())
}

// doBearerAuth is called for every request to the registry.
func (ah *authHandler) doBearerAuth(ctx context.Context, scopes []string) (token string, err error) {
	scopes = slices.Sorted(slices.Values(scopes))
	scoped := strings.Join(scopes, " ")

	ah.Lock()
	if r, exist := ah.scopedTokens[scoped]; exist && ah.usable(r) {
		ah.Unlock()
		r.Wait()
		return r.token, r.err
	}

	// only one fetch token job
	r := new(authResult)
	r.Add(1)
	ah.scopedTokens[scoped] = r
	ah.Unlock()

	// The result is in the map without a token; whoever finds it waits for Done.
	token, expires, err := ah.fetch(ctx, scopes)

	if err == nil {
		r.token = fmt.Sprintf("Bearer %s", token)
	}
	r.err = err

	ah.Lock()
	if expires > 0 {
		t := time.Now().Add(expires)
		r.expirationTime = &t
	}
	if err != nil && ah.scopedTokens[scoped] == r {
		// The next request tries again.
		delete(ah.scopedTokens, scoped)
	}
	ah.Unlock()
	r.Done()

	return r.token, r.err
}

// Pull fetches the layers of an image at the same time.
func Pull(ctx context.Context, ah *authHandler, repo string, layers []string, get func(token, layer string) error) error {
	errs := make(chan error, len(layers))
	for _, layer := range layers {
		go func() {
			token, err := ah.doBearerAuth(ctx, []string{"repository:" + repo + ":pull"})
			if err == nil {
				err = get(token, layer)
			}
			errs <- err
		}()
	}
	var first error
	for range layers {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}
