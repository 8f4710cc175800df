// Package fix serves the public list of relays.
package fix

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/st-01-relaypool-limit/fix/bounded"
	"github.com/atomvet/atomvet/testdata/kernels/st-01-relaypool-limit/fix/locks"
	"github.com/atomvet/atomvet/testdata/kernels/st-01-relaypool-limit/fix/tokens"
)

const (
	listEvery = 10 * time.Second
	listBurst = 4
	joinEvery = time.Minute
	joinBurst = 2
)

var (
	listMut     = locks.NewMutex()
	listBuckets = bounded.New(10240)

	joinMut     = locks.NewMutex()
	joinBuckets = bounded.New(1024)

	relayMut sync.RWMutex
	relays   []string
)

// Handler returns the handler of the relay list.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /relays", handleList)
	mux.HandleFunc("POST /relays", handleJoin)
	mux.HandleFunc("GET /stats", handleStats)
	return mux
}

func handleList(w http.ResponseWriter, r *http.Request) {
	if throttled(r.RemoteAddr, listBuckets, listMut, listEvery, listBurst) {
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	}
	relayMut.RLock()
	list := slices.Clone(relays)
	relayMut.RUnlock()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(list)
}

func handleJoin(w http.ResponseWriter, r *http.Request) {
	if throttled(r.RemoteAddr, joinBuckets, joinMut, joinEvery, joinBurst) {
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	}
	u, err := url.Parse(r.FormValue("url"))
	if err != nil || u.Host == "" {
		http.Error(w, "bad relay address", http.StatusBadRequest)
		return
	}
	relayMut.Lock()
	if !slices.Contains(relays, u.String()) {
		relays = append(relays, u.String())
	}
	relayMut.Unlock()
}

func handleStats(w http.ResponseWriter, _ *http.Request) {
	listMut.Lock()
	n := listBuckets.Len()
	listMut.Unlock()
	json.NewEncoder(w).Encode(map[string]int{"clients": n})
}

// throttled reports whether a request from addr must be refused.
func throttled(addr string, buckets *bounded.Cache, mut locks.Mutex, every time.Duration, burst int) bool {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		addr = host
	}

	mut.Lock()
	val, ok := buckets.Get(addr)
	if ok {
		mut.Unlock()
		return !val.(*tokens.Bucket).Allow()
	}
	buckets.Add(addr, tokens.NewBucket(every, burst))
	mut.Unlock()
	return false
}
