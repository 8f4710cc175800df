package etcdserver

import (
	"strings"
	"sync"
)

// authStore knows the users; a user owns the keys below its name.
type authStore struct {
	mu    sync.RWMutex
	users map[string]bool
}

// UserAdd creates a user.
func (as *authStore) UserAdd(name string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.users[name] = true
}

// IsAdminPermitted tells whether the user may administrate.
func (as *authStore) IsAdminPermitted(user string) bool {
	return user == "root"
}

// IsPermitted tells whether the user may use the key.
func (as *authStore) IsPermitted(user, key string) bool {
	if as.IsAdminPermitted(user) {
		return true
	}
	as.mu.RLock()
	defer as.mu.RUnlock()
	return as.users[user] && strings.HasPrefix(key, user+"/")
}

// EtcdServer applies the log and serves the clients.
type EtcdServer struct {
	applyV3   applierV3
	authStore *authStore
	proposals chan proposal

	kvMu sync.RWMutex
	kv   map[string]string
}

type proposal struct {
	req *Request
	res chan *Result
}

// NewServer returns a running server.
func NewServer() *EtcdServer {
	s := &EtcdServer{
		authStore: &authStore{users: map[string]bool{"root": true}},
		proposals: make(chan proposal),
		kv:        make(map[string]string),
	}
	s.applyV3 = newAuthApplierV3(s.authStore, &applierV3backend{s})
	go s.run()
	return s
}

// run is the goroutine of the raft log.
func (s *EtcdServer) run() {
	for p := range s.proposals {
		p.res <- s.applyV3.Apply(p.req)
	}
}

func (s *EtcdServer) processInternalRaftRequest(r *Request) *Result {
	p := proposal{req: r, res: make(chan *Result, 1)}
	s.proposals <- p
	return <-p.res
}

// Put is called by the handler of a client.
func (s *EtcdServer) Put(user, key, val string) error {
	return s.processInternalRaftRequest(&Request{Username: user, Put: &[2]string{key, val}}).Err
}

// Range is called by the handler of a client. A serializable range is not
// sent through the log, it is applied at once.
func (s *EtcdServer) Range(user, key string, serializable bool) (string, error) {
	r := &Request{Username: user, Range: &key}
	var res *Result
	if serializable {
		res = s.applyV3.Apply(r)
	} else {
		res = s.processInternalRaftRequest(r)
	}
	return res.Value, res.Err
}

// UserAdd is called by the handler of a client.
func (s *EtcdServer) UserAdd(user, name string) error {
	return s.processInternalRaftRequest(&Request{Username: user, AuthUser: &name}).Err
}
