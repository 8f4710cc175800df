package rpc

import (
	"context"
	"fmt"
	"log"
	"sync"
)

// ServerCodec implements reading, parsing and writing RPC messages for the server side of
// a RPC session. Implementations must be go-routine safe since the codec can be called in
// multiple go-routines concurrently.
type ServerCodec interface {
	// Read next request
	ReadRequest() (*serverRequest, error)
	// Assemble success response, expects response id and payload
	CreateResponse(id interface{}, reply interface{}) interface{}
	// Assemble error response, expects response id and error
	CreateErrorResponse(id interface{}, err error) interface{}
	// Create notification response
	CreateNotification(id, namespace string, event interface{}) interface{}
	// Write msg to client.
	Write(msg interface{}) error
	// Close underlying data stream
	Close()
	// Closed when underlying connection is closed
	Closed() <-chan interface{}
}

// serverRequest is an incoming request
type serverRequest struct {
	id            interface{}
	svcname       string
	method        string
	args          []interface{}
	isUnsubscribe bool
}

type callback func(ctx context.Context, args []interface{}) (interface{}, error)
type subscriptionCallback func(ctx context.Context, args []interface{}) (*Subscription, error)

// service is a registered object
type service struct {
	callbacks     map[string]callback
	subscriptions map[string]subscriptionCallback
}

// Server represents a RPC server
type Server struct {
	services map[string]*service
}

// NewServer will create a new server instance with the given services.
func NewServer(services map[string]*service) *Server {
	return &Server{services: services}
}

// ServeCodec reads incoming requests from codec, calls the appropriate callback and writes the
// response back using the given codec. It will block until the codec is closed or the server is
// stopped. In either case the codec is closed.
func (s *Server) ServeCodec(codec ServerCodec) {
	defer codec.Close()

	var pend sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx = context.WithValue(ctx, notifierKey{}, newNotifier(codec))

	for {
		req, err := codec.ReadRequest()
		if err != nil {
			// Error or end of stream, wait for requests and tear down
			pend.Wait()
			return
		}
		// For multi-shot connections, start a goroutine to serve and loop back
		pend.Add(1)
		go func() {
			defer pend.Done()
			s.exec(ctx, codec, req)
		}()
	}
}

// createSubscription will call the subscription callback and returns the subscription id or error.
func (s *Server) createSubscription(ctx context.Context, callb subscriptionCallback, req *serverRequest) (ID, error) {
	sub, err := callb(ctx, req.args)
	if err != nil { // subscription creation failed
		return "", err
	}
	return sub.ID, nil
}

// handle executes a request and returns the response from the callback.
func (s *Server) handle(ctx context.Context, codec ServerCodec, req *serverRequest) (interface{}, func()) {
	if req.isUnsubscribe { // cancel subscription, first param must be the subscription id
		if len(req.args) >= 1 {
			notifier, supported := NotifierFromContext(ctx)
			if !supported { // interface doesn't support subscriptions (e.g. http)
				return codec.CreateErrorResponse(&req.id, ErrNotificationsUnsupported), nil
			}

			subid, _ := req.args[0].(string)
			if err := notifier.unsubscribe(ID(subid)); err != nil {
				return codec.CreateErrorResponse(&req.id, err), nil
			}

			return codec.CreateResponse(req.id, true), nil
		}
		return codec.CreateErrorResponse(&req.id, fmt.Errorf("Expected subscription id as first argument")), nil
	}

	svc, ok := s.services[req.svcname]
	if !ok {
		return codec.CreateErrorResponse(&req.id, fmt.Errorf("The method %s_%s does not exist/is not available", req.svcname, req.method)), nil
	}

	if callb, ok := svc.subscriptions[req.method]; ok {
		subid, err := s.createSubscription(ctx, callb, req)
		if err != nil {
			return codec.CreateErrorResponse(&req.id, err), nil
		}

		// active the subscription after the sub id was successfully sent to the client
		activateSub := func() {
			notifier, _ := NotifierFromContext(ctx)
			notifier.activate(subid, req.svcname)
		}

		return codec.CreateResponse(req.id, subid), activateSub
	}

	callb, ok := svc.callbacks[req.method]
	if !ok {
		return codec.CreateErrorResponse(&req.id, fmt.Errorf("The method %s_%s does not exist/is not available", req.svcname, req.method)), nil
	}
	reply, err := callb(ctx, req.args)
	if err != nil {
		return codec.CreateErrorResponse(&req.id, err), nil
	}
	return codec.CreateResponse(req.id, reply), nil
}

// exec executes the given request and writes the result back using the codec.
func (s *Server) exec(ctx context.Context, codec ServerCodec, req *serverRequest) {
	response, callback := s.handle(ctx, codec, req)

	if err := codec.Write(response); err != nil {
		log.Printf("%v\n", err)
		codec.Close()
	}

	// when request was a subscribe request this allows these subscriptions to be actived
	if callback != nil {
		callback()
	}
}

// PublicFilterAPI offers support to create and manage filters.
type PublicFilterAPI struct {
	newHeads func() (heads <-chan uint64, unsubscribe func())
}

// NewHeads send a notification each time a new (header) block is appended to the chain.
func (api *PublicFilterAPI) NewHeads(ctx context.Context, args []interface{}) (*Subscription, error) {
	notifier, supported := NotifierFromContext(ctx)
	if !supported {
		return nil, ErrNotificationsUnsupported
	}

	rpcSub := notifier.CreateSubscription()

	go func() {
		headers, unsubscribe := api.newHeads()
		defer unsubscribe()

		for {
			select {
			case h := <-headers:
				notifier.Notify(rpcSub.ID, h)
			case <-rpcSub.Err():
				return
			case <-notifier.Closed():
				return
			}
		}
	}()

	return rpcSub, nil
}
