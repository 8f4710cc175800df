// Package presence knows which users of a service are online. A user is
// online while at least one of its devices is connected.
package presence

import (
	"net/http"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Watcher is told when users come and go. It is called from the goroutine of
// the connection and must not call the Tracker.
type Watcher interface {
	Online(user string)
	Offline(user string)
}

// devices counts the open connections of one user.
type devices struct {
	open  atomic.Int64
	since time.Time
}

// Tracker counts connections by user. It is safe for concurrent use; reads
// take no lock because every message that is routed asks for presence.
type Tracker struct {
	watcher Watcher
	changes sync.Mutex // held while a connection is counted in or out
	users   sync.Map   // string -> *devices
}

// NewTracker returns a tracker that reports to w.
func NewTracker(w Watcher) *Tracker {
	return &Tracker{watcher: w}
}

// Connect counts a new connection of user. The caller must call Disconnect
// when the connection ends.
func (t *Tracker) Connect(user string) {
	t.changes.Lock()
	defer t.changes.Unlock()
	d := t.record(user)
	if d.open.Add(1) == 1 {
		t.watcher.Online(user)
	}
}

// Disconnect counts the end of a connection of user.
func (t *Tracker) Disconnect(user string) {
	t.changes.Lock()
	defer t.changes.Unlock()
	d, ok := t.find(user)
	if !ok {
		return
	}
	if d.open.Add(-1) == 0 {
		t.users.Delete(user)
		t.watcher.Offline(user)
	}
}

// record returns the record of user, a new one if it has none.
func (t *Tracker) record(user string) *devices {
	if d, ok := t.find(user); ok {
		return d
	}
	v, _ := t.users.LoadOrStore(user, &devices{since: time.Now()})
	return v.(*devices)
}

func (t *Tracker) find(user string) (*devices, bool) {
	v, ok := t.users.Load(user)
	if !ok {
		return nil, false
	}
	return v.(*devices), true
}

// IsOnline reports whether user has an open connection.
func (t *Tracker) IsOnline(user string) bool {
	d, ok := t.find(user)
	return ok && d.open.Load() > 0
}

// Since returns when user came online, the zero time if it is offline.
func (t *Tracker) Since(user string) time.Time {
	d, ok := t.find(user)
	if !ok || d.open.Load() == 0 {
		return time.Time{}
	}
	return d.since
}

// Users returns the names of the users that are online.
func (t *Tracker) Users() []string {
	var names []string
	t.users.Range(func(k, v any) bool {
		if v.(*devices).open.Load() > 0 {
			names = append(names, k.(string))
		}
		return true
	})
	sort.Strings(names)
	return names
}

// Middleware keeps a user online for as long as the handler of a connection
// runs.
func (t *Tracker) Middleware(user func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u := user(r)
		if u == "" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		t.Connect(u)
		defer t.Disconnect(u)
		next.ServeHTTP(w, r)
	})
}
