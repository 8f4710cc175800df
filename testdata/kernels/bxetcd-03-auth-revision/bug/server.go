// Package bug answers key-value requests of authenticated clients.
package bug

import (
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/bxetcd-03-auth-revision/bug/auth"
)

// AuthStore is the part of the auth store the server needs.
type AuthStore interface {
	InfoFromToken(token string) (*auth.Info, bool)
	IsRangePermitted(ai *auth.Info, key string) error
	IsPutPermitted(ai *auth.Info, key string) error
	RevokePermission(role, key string)
}

// KV is the applied state.
type KV struct {
	mu   sync.RWMutex
	rev  int64
	data map[string]string
}

// Get returns a value and the revision it was read at.
func (kv *KV) Get(key string) (string, int64) {
	kv.mu.RLock()
	defer kv.mu.RUnlock()
	return kv.data[key], kv.rev
}

// Put stores a value.
func (kv *KV) Put(key, val string) int64 {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	kv.rev++
	kv.data[key] = val
	return kv.rev
}

// Server is safe for concurrent use.
type Server struct {
	auth AuthStore
	kv   *KV

	applyMu sync.Mutex // one entry of the log at a time
}

// New returns a server.
func New(as AuthStore) *Server {
	return &Server{auth: as, kv: &KV{data: make(map[string]string)}}
}

// RangeResponse is the result of a read.
type RangeResponse struct {
	Value    string
	Revision int64
}

// Range is a serializable read: it is answered from the local state.
func (s *Server) Range(token, key string) (resp *RangeResponse, err error) {
	chk := func(ai *auth.Info) error {
		return s.auth.IsRangePermitted(ai, key)
	}
	get := func() {
		v, rev := s.kv.Get(key)
		resp = &RangeResponse{Value: v, Revision: rev}
	}
	if serr := s.doSerialize(token, chk, get); serr != nil {
		return nil, serr
	}
	return resp, nil
}

// Txn reads several keys.
func (s *Server) Txn(token string, keys []string) (resp []RangeResponse, err error) {
	chk := func(ai *auth.Info) error {
		for _, k := range keys {
			if err := s.auth.IsRangePermitted(ai, k); err != nil {
				return err
			}
		}
		return nil
	}
	get := func() {
		resp = resp[:0]
		for _, k := range keys {
			v, rev := s.kv.Get(k)
			resp = append(resp, RangeResponse{Value: v, Revision: rev})
		}
	}
	if serr := s.doSerialize(token, chk, get); serr != nil {
		return nil, serr
	}
	return resp, nil
}

func (s *Server) doSerialize(token string, chk func(*auth.Info) error, get func()) error {
	ai, ok := s.auth.InfoFromToken(token)
	if !ok {
		return auth.ErrPermissionDenied
	}
	if err := chk(ai); err != nil {
		return err
	}
	get()
	return nil
}

// Apply executes one entry of the log.
func (s *Server) Apply(ai *auth.Info, key, val string) error {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	if err := s.auth.IsPutPermitted(ai, key); err != nil {
		return err
	}
	s.kv.Put(key, val)
	return nil
}

// ApplyRevoke executes an entry that changes a role.
func (s *Server) ApplyRevoke(role, key string) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.auth.RevokePermission(role, key)
}
