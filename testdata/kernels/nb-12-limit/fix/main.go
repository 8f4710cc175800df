// Package relaypool hands out the relays that are known to work.
package relaypool

import (
	"encoding/json"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const httpStatusEnhanceYourCalm = 429

// limiter is a token bucket.
type limiter struct {
	mu     sync.Mutex
	every  time.Duration
	burst  int
	tokens float64
	last   time.Time
}

func newLimiter(every time.Duration, burst int) *limiter {
	return &limiter{every: every, burst: burst, tokens: float64(burst), last: time.Now()}
}

// Allow takes a token if there is one.
func (l *limiter) Allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.tokens += float64(now.Sub(l.last)) / float64(l.every)
	l.last = now
	if l.tokens > float64(l.burst) {
		l.tokens = float64(l.burst)
	}
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}

// bucketCache keeps one bucket per address, the oldest are dropped.
type bucketCache struct {
	size  int
	items map[string]*limiter
	order []string
}

func newBucketCache(size int) *bucketCache {
	return &bucketCache{size: size, items: make(map[string]*limiter)}
}

func (c *bucketCache) Get(addr string) (*limiter, bool) {
	l, ok := c.items[addr]
	return l, ok
}

func (c *bucketCache) Add(addr string, l *limiter) {
	if _, ok := c.items[addr]; !ok {
		c.order = append(c.order, addr)
	}
	c.items[addr] = l
	if len(c.order) > c.size {
		delete(c.items, c.order[0])
		c.order = c.order[1:]
	}
}

type relay struct {
	URL string `json:"url"`
	uri *url.URL
}

type result struct {
	err      error
	eviction time.Duration
}

type request struct {
	relay  *relay
	result chan result
}

var (
	getMut       sync.RWMutex
	getLRUCache  = newBucketCache(10 << 10)
	postMut      sync.RWMutex
	postLRUCache = newBucketCache(10 << 10)

	getLimit       = 10 * time.Second
	getLimitBurst  = 5
	postLimit      = time.Minute
	postLimitBurst = 2
	evictionTime   = time.Hour

	requests = make(chan request, 10)

	mut            sync.RWMutex
	knownRelays    = make([]*relay, 0)
	evictionTimers = make(map[string]*time.Timer)
)

// Serve starts the workers and the listener.
func Serve(addr string, processors int, test func(*url.URL) error) error {
	for range processors {
		go requestProcessor(test)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/endpoint", handleRequest)
	return http.ListenAndServe(addr, mux)
}

func handleRequest(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet:
		if limit(r.RemoteAddr, getLRUCache, &getMut, getLimit, getLimitBurst) {
			w.WriteHeader(httpStatusEnhanceYourCalm)
			return
		}
		handleGetRequest(w)
	case http.MethodPost:
		if limit(r.RemoteAddr, postLRUCache, &postMut, postLimit, postLimitBurst) {
			w.WriteHeader(httpStatusEnhanceYourCalm)
			return
		}
		handlePostRequest(w, r)
	default:
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
	}
}

func handleGetRequest(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	mut.RLock()
	relays := make([]*relay, len(knownRelays))
	copy(relays, knownRelays)
	mut.RUnlock()
	if err := json.NewEncoder(w).Encode(map[string][]*relay{"relays": relays}); err != nil {
		log.Println("encode:", err)
	}
}

func handlePostRequest(w http.ResponseWriter, r *http.Request) {
	var newRelay relay
	if err := json.NewDecoder(r.Body).Decode(&newRelay); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	uri, err := url.Parse(newRelay.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	newRelay.uri = uri
	reschan := make(chan result, 1)
	select {
	case requests <- request{&newRelay, reschan}:
		if res := <-reschan; res.err != nil {
			http.Error(w, res.err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusOK)
	default:
		w.WriteHeader(httpStatusEnhanceYourCalm)
	}
}

func requestProcessor(test func(*url.URL) error) {
	for req := range requests {
		if err := test(req.relay.uri); err != nil {
			req.result <- result{err, 0}
			continue
		}
		register(req.relay)
		req.result <- result{nil, evictionTime}
	}
}

func register(r *relay) {
	mut.Lock()
	defer mut.Unlock()
	host := r.uri.Host
	if timer, ok := evictionTimers[host]; ok {
		timer.Stop()
	}
	for i, current := range knownRelays {
		if current.uri.Host == host {
			last := len(knownRelays) - 1
			knownRelays[i] = knownRelays[last]
			knownRelays = knownRelays[:last]
			break
		}
	}
	knownRelays = append(knownRelays, r)
	evictionTimers[host] = time.AfterFunc(evictionTime, evict(r))
}

func evict(r *relay) func() {
	return func() {
		mut.Lock()
		defer mut.Unlock()
		for i, current := range knownRelays {
			if current == r {
				last := len(knownRelays) - 1
				knownRelays[i] = knownRelays[last]
				knownRelays = knownRelays[:last]
				delete(evictionTimers, r.uri.Host)
				break
			}
		}
	}
}

func limit(addr string, cache *bucketCache, lock *sync.RWMutex, intv time.Duration, burst int) bool {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		addr = host
	}

	lock.Lock()
	bkt, ok := cache.Get(addr)
	if ok {
		lock.Unlock()
		if !bkt.Allow() {
			// Rate limit
			return true
		}
	} else {
		cache.Add(addr, newLimiter(intv, burst))
		lock.Unlock()
	}
	return false
}
