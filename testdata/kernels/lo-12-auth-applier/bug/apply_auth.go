package etcdserver

import (
	"errors"
	"sync"
)

var errPermissionDenied = errors.New("auth: permission denied")

// Request is what is applied: from the raft log, or a serializable range.
type Request struct {
	Username string
	Put      *[2]string
	Range    *string
	AuthUser *string // creates a user
}

// Result of a request.
type Result struct {
	Value string
	Err   error
}

// applierV3 is the interface for processing V3 raft messages.
type applierV3 interface {
	Apply(r *Request) *Result
	Put(key, val string) error
	Range(key string) (string, error)
}

// applierV3backend applies to the store.
type applierV3backend struct {
	s *EtcdServer
}

// Apply dispatches to the applier of the server, which may be wrapped.
func (a *applierV3backend) Apply(r *Request) *Result {
	ar := &Result{}
	switch {
	case r.Put != nil:
		ar.Err = a.s.applyV3.Put(r.Put[0], r.Put[1])
	case r.Range != nil:
		ar.Value, ar.Err = a.s.applyV3.Range(*r.Range)
	case r.AuthUser != nil:
		a.s.authStore.UserAdd(*r.AuthUser)
	}
	return ar
}

func (a *applierV3backend) Put(key, val string) error {
	a.s.kvMu.Lock()
	defer a.s.kvMu.Unlock()
	a.s.kv[key] = val
	return nil
}

func (a *applierV3backend) Range(key string) (string, error) {
	a.s.kvMu.RLock()
	defer a.s.kvMu.RUnlock()
	return a.s.kv[key], nil
}

// authApplierV3 checks the permissions of the user of a request.
type authApplierV3 struct {
	applierV3
	as *authStore

	userMu sync.Mutex
	user   string // of the request being applied
}

func newAuthApplierV3(as *authStore, base applierV3) *authApplierV3 {
	return &authApplierV3{applierV3: base, as: as}
}

func (aa *authApplierV3) setUser(user string) {
	aa.userMu.Lock()
	aa.user = user
	aa.userMu.Unlock()
}

func (aa *authApplierV3) currentUser() string {
	aa.userMu.Lock()
	defer aa.userMu.Unlock()
	return aa.user
}

func (aa *authApplierV3) Apply(r *Request) *Result {
	if r.AuthUser != nil && !aa.as.IsAdminPermitted(r.Username) {
		return &Result{Err: errPermissionDenied}
	}
	aa.setUser(r.Username)
	ret := aa.applierV3.Apply(r)
	aa.setUser("")
	return ret
}

func (aa *authApplierV3) Put(key, val string) error {
	if !aa.as.IsPermitted(aa.currentUser(), key) {
		return errPermissionDenied
	}
	return aa.applierV3.Put(key, val)
}

func (aa *authApplierV3) Range(key string) (string, error) {
	if !aa.as.IsPermitted(aa.currentUser(), key) {
		return "", errPermissionDenied
	}
	return aa.applierV3.Range(key)
}
