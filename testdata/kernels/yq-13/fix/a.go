package a

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

// ErrBroken means that somebody has tampered with the trail.
var ErrBroken = errors.New("audit: chain is broken")

// Hash links an entry to the one before it.
type Hash [sha256.Size]byte

// Entry is one thing that somebody has done.
type Entry struct {
	Seq       uint64
	At        time.Time
	Actor     string
	Action    string
	Prev      Hash
	Sum       Hash
	Signature []byte
}

func (e *Entry) sum() Hash {
	h := sha256.New()
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], e.Seq)
	binary.BigEndian.PutUint64(b[8:], uint64(e.At.UnixNano()))
	h.Write(b[:])
	h.Write(e.Prev[:])
	fmt.Fprintf(h, "%q %q", e.Actor, e.Action)
	return Hash(h.Sum(nil))
}

// Signer is the key service.
type Signer interface {
	Sign(ctx context.Context, sum Hash) ([]byte, error)
}

// Trail is the audit trail of one tenant.
type Trail struct {
	signer Signer
	now    func() time.Time

	appending sync.Mutex // held from tip to push

	mu      sync.RWMutex
	entries []Entry
	byActor map[string]int
}

func NewTrail(s Signer) *Trail {
	return &Trail{signer: s, now: time.Now, byActor: make(map[string]int)}
}

func (t *Trail) tip() (seq uint64, sum Hash) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if n := len(t.entries); n > 0 {
		last := &t.entries[n-1]
		return last.Seq, last.Sum
	}
	return 0, Hash{}
}

func (t *Trail) push(e Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	t.byActor[e.Actor]++
}

// Append adds an entry. Nothing is added when it cannot be signed.
func (t *Trail) Append(ctx context.Context, actor, action string) (uint64, error) {
	t.appending.Lock()
	defer t.appending.Unlock()
	seq, prev := t.tip()
	e := Entry{Seq: seq + 1, At: t.now(), Actor: actor, Action: action, Prev: prev}
	e.Sum = e.sum()
	sig, err := t.signer.Sign(ctx, e.Sum)
	if err != nil {
		return 0, fmt.Errorf("audit: sign %d: %w", e.Seq, err)
	}
	e.Signature = sig
	t.push(e)
	return e.Seq, nil
}

// Verify walks the chain.
func (t *Trail) Verify() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var prev Hash
	for i := range t.entries {
		e := &t.entries[i]
		if e.Seq != uint64(i)+1 || e.Prev != prev || e.Sum != e.sum() {
			return fmt.Errorf("%w at entry %d", ErrBroken, i)
		}
		prev = e.Sum
	}
	return nil
}

// Since returns the entries behind seq.
func (t *Trail) Since(seq uint64) []Entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if seq >= uint64(len(t.entries)) {
		return nil
	}
	return append([]Entry(nil), t.entries[seq:]...)
}

// Count tells how many entries an actor has caused.
func (t *Trail) Count(actor string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byActor[actor]
}

// Middleware notes every request that changes something before it is served.
func (t *Trail) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			actor, _, _ := r.BasicAuth()
			if _, err := t.Append(r.Context(), actor, r.Method+" "+r.URL.Path); err != nil {
				log.Print(err)
				http.Error(w, "audit trail is not available", http.StatusServiceUnavailable)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Export writes the trail for the auditor.
func (t *Trail) Export(w http.ResponseWriter, _ *http.Request) {
	all := t.Since(0)
	if n := len(all); n > 0 {
		w.Header().Set("X-Chain-Tip", hex.EncodeToString(all[n-1].Sum[:]))
	}
	if err := json.NewEncoder(w).Encode(all); err != nil {
		log.Print(err)
	}
}
