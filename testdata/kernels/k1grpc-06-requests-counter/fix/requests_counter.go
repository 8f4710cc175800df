// Package client limits the requests of a service over all its connections.
package client

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type servicesRequestsCounter struct {
	mu       sync.Mutex
	services map[string]*ServiceRequestsCounter
}

var src = &servicesRequestsCounter{
	services: make(map[string]*ServiceRequestsCounter),
}

// ServiceRequestsCounter is used to track the total inflight requests for a
// service with the provided name.
type ServiceRequestsCounter struct {
	ServiceName string
	numRequests uint32
}

// GetServiceRequestsCounter returns the ServiceRequestsCounter with the
// provided serviceName. If one does not exist, it creates it.
func GetServiceRequestsCounter(serviceName string) *ServiceRequestsCounter {
	src.mu.Lock()
	defer src.mu.Unlock()
	c, ok := src.services[serviceName]
	if !ok {
		c = &ServiceRequestsCounter{ServiceName: serviceName}
		src.services[serviceName] = c
	}
	return c
}

// StartRequest starts a request for a service, incrementing its number of
// requests by 1. Returns an error if the max number of requests is exceeded.
func (c *ServiceRequestsCounter) StartRequest(max uint32) error {
	newNum := atomic.AddUint32(&c.numRequests, 1)
	if newNum <= max {
		return nil
	}
	atomic.AddUint32(&c.numRequests, ^uint32(0))
	return fmt.Errorf("max requests %v exceeded on service %v", max, c.ServiceName)
}

// EndRequest ends a request for a service, decrementing its number of requests
// by 1.
func (c *ServiceRequestsCounter) EndRequest() {
	atomic.AddUint32(&c.numRequests, ^uint32(0))
}

// NumRequests returns the number of requests inflight.
func (c *ServiceRequestsCounter) NumRequests() uint32 {
	return atomic.LoadUint32(&c.numRequests)
}
