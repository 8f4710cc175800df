// Package uploads makes sure that the result of a build action gets into the
// shared artifact cache even if the machine that uploads it goes away.
package uploads

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

var (
	ErrTaken = errors.New("uploads: somebody else is uploading")
	ErrLost  = errors.New("uploads: claim was taken over")
)

type claim struct {
	token uint64
	until time.Time
}

// Ledger says who uploads which result. It is safe for concurrent use.
type Ledger struct {
	dir string
	ttl time.Duration

	mu      sync.Mutex
	last    uint64
	claims  map[string]claim
	results map[string]string // action -> file
}

// NewLedger keeps the files of results in dir. A claim that has not been
// completed after ttl may be taken over.
func NewLedger(dir string, ttl time.Duration) *Ledger {
	return &Ledger{
		dir:     dir,
		ttl:     ttl,
		claims:  make(map[string]claim),
		results: make(map[string]string),
	}
}

// Result returns the file of a finished action.
func (l *Ledger) Result(action string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.results[action]
	return f, ok
}

// claim returns a new token, or the file if there is nothing left to do.
func (l *Ledger) claim(action string, now time.Time) (token uint64, file string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.results[action]; ok {
		return 0, f, nil
	}
	if c, ok := l.claims[action]; ok && now.Before(c.until) {
		return 0, "", ErrTaken
	}
	l.last++
	l.claims[action] = claim{token: l.last, until: now.Add(l.ttl)}
	return l.last, "", nil
}

// complete publishes the file of the claim's holder.
func (l *Ledger) complete(action string, token uint64, file string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claims[action].token != token {
		return ErrLost
	}
	delete(l.claims, action)
	l.results[action] = file
	return nil
}

// abandon gives a claim back, if it is still held.
func (l *Ledger) abandon(action string, token uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claims[action].token == token {
		delete(l.claims, action)
	}
}

// Writer writes the output of an action to a file.
type Writer func(ctx context.Context, path string) error

// Upload stores the result of an action unless it is there already.
func (l *Ledger) Upload(ctx context.Context, action string, write Writer) (string, error) {
	token, file, err := l.claim(action, time.Now())
	if err != nil || file != "" {
		return file, err
	}
	path := filepath.Join(l.dir, action+"."+strconv.FormatUint(token, 10))
	if err := write(ctx, path); err != nil {
		l.abandon(action, token)
		os.Remove(path)
		return "", err
	}
	if err := l.complete(action, token, path); err != nil {
		os.Remove(path)
		return "", err
	}
	return path, nil
}

// UploadAll uploads the results of several actions in parallel.
func (l *Ledger) UploadAll(ctx context.Context, outputs map[string]Writer) error {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for action, write := range outputs {
		wg.Go(func() {
			if _, err := l.Upload(ctx, action, write); err != nil && !errors.Is(err, ErrTaken) {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
