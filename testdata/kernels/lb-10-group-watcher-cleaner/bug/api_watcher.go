package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// apiWatcher is used for watching for Kubernetes object changes and caching their latest states.
type apiWatcher struct {
	role string

	apiServer          string
	attachNodeMetadata bool

	gw *groupWatcher
}

func newAPIWatcher(apiServer, role string, attachNodeMetadata bool) *apiWatcher {
	return &apiWatcher{
		role:               role,
		apiServer:          apiServer,
		attachNodeMetadata: attachNodeMetadata,
	}
}

func (aw *apiWatcher) mustStart() {
	gw := getGroupWatcher(aw.apiServer, aw.attachNodeMetadata)
	gw.startWatchersForRole(aw.role, aw)
	aw.gw = gw
}

func (aw *apiWatcher) mustStop() {
	aw.gw.unsubscribeAPIWatcher(aw)
}

// groupWatcher watches for Kubernetes objects on the given apiServer using the given client.
type groupWatcher struct {
	// Old Kubernetes doesn't support /apis/networking.k8s.io/v1/, so /apis/networking.k8s.io/v1beta1/ must be used instead.
	// This flag is used for automatic substitution of v1 API path with v1beta1 API path during requests to apiServer.
	useNetworkingV1Beta1 uint32

	apiServer          string
	attachNodeMetadata bool

	client *http.Client

	mu sync.Mutex
	m  map[string]*urlWatcher

	// cancel is used for stopping all the urlWatcher instances inside m,
	// which must check for ctx.Done() when performing their background watch work.
	ctx    context.Context
	cancel context.CancelFunc

	// noAPIWatchers is set to true when there are no API watchers for the given groupWatcher.
	// This field is used for determining when it is safe to stop all the urlWatcher instances
	// for the given groupWatcher.
	noAPIWatchers bool
}

func newGroupWatcher(apiServer string, attachNodeMetadata bool) *groupWatcher {
	ctx, cancel := context.WithCancel(context.Background())
	return &groupWatcher{
		apiServer:          apiServer,
		attachNodeMetadata: attachNodeMetadata,
		client:             &http.Client{Timeout: 30 * time.Minute},
		m:                  make(map[string]*urlWatcher),
		ctx:                ctx,
		cancel:             cancel,
	}
}

func getGroupWatcher(apiServer string, attachNodeMetadata bool) *groupWatcher {
	key := fmt.Sprintf("apiServer=%s, attachNodeMetadata=%v", apiServer, attachNodeMetadata)
	groupWatchersLock.Lock()
	gw := groupWatchers[key]
	if gw == nil {
		gw = newGroupWatcher(apiServer, attachNodeMetadata)
		groupWatchers[key] = gw
	}
	groupWatchersLock.Unlock()
	return gw
}

var (
	groupWatchersLock sync.Mutex
	groupWatchers     map[string]*groupWatcher
)

func init() {
	groupWatchers = make(map[string]*groupWatcher)
	go groupWatchersCleaner()
}

func groupWatchersCleaner() {
	for {
		time.Sleep(7 * time.Second)
		groupWatchersLock.Lock()
		for key, gw := range groupWatchers {
			gw.mu.Lock()
			// Calculate the number of apiWatcher instances subscribed to gw.
			awsTotal := 0
			for _, uw := range gw.m {
				awsTotal += len(uw.aws)
			}

			if awsTotal == 0 {
				// There are no API watchers subscribed to gw.
				// Stop all the urlWatcher instances at gw and drop gw from groupWatchers in this case,
				// but do it only on the second iteration in order to reduce urlWatcher churn
				// during scrape config reloads.
				if gw.noAPIWatchers {
					gw.cancel()
					delete(groupWatchers, key)
				} else {
					gw.noAPIWatchers = true
				}
			} else {
				gw.noAPIWatchers = false
			}
			gw.mu.Unlock()
		}
		groupWatchersLock.Unlock()
	}
}

func (gw *groupWatcher) startWatchersForRole(role string, aw *apiWatcher) {
	if role == "endpoints" || role == "endpointslice" {
		// endpoints and endpointslice watchers query pod and service objects. So start watchers for these roles as well.
		gw.startWatchersForRole("pod", nil)
		gw.startWatchersForRole("service", nil)
	}
	if gw.attachNodeMetadata && (role == "pod" || role == "endpoints" || role == "endpointslice") {
		gw.startWatchersForRole("node", nil)
	}

	apiURL := gw.apiServer + getAPIPath(role)
	gw.mu.Lock()
	uw := gw.m[apiURL]
	needStart := uw == nil
	if needStart {
		uw = newURLWatcher(role, apiURL, gw)
		gw.m[apiURL] = uw
	}
	if aw != nil {
		uw.aws[aw] = struct{}{}
	}
	gw.mu.Unlock()
	if needStart {
		uw.reloadObjects()
		go uw.watchForUpdates()
	}
}

func (gw *groupWatcher) unsubscribeAPIWatcher(aw *apiWatcher) {
	gw.mu.Lock()
	for _, uw := range gw.m {
		delete(uw.aws, aw)
	}
	gw.mu.Unlock()
}

// doRequest performs http request to the given requestURL.
func (gw *groupWatcher) doRequest(requestURL string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(gw.ctx, http.MethodGet, requestURL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := gw.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusNotFound {
		atomic.StoreUint32(&gw.useNetworkingV1Beta1, 1)
	}
	return resp, nil
}

// urlWatcher watches for an apiURL and updates object states in objectsByKey.
//
// urlWatcher fields must be accessed under gw.mu lock.
type urlWatcher struct {
	role   string
	apiURL string
	gw     *groupWatcher

	// aws contains registered apiWatcher objects
	aws map[*apiWatcher]struct{}

	// objectsByKey contains the latest state for objects obtained from apiURL
	objectsByKey map[string]json.RawMessage
}

func newURLWatcher(role, apiURL string, gw *groupWatcher) *urlWatcher {
	return &urlWatcher{
		role:         role,
		apiURL:       apiURL,
		gw:           gw,
		aws:          make(map[*apiWatcher]struct{}),
		objectsByKey: make(map[string]json.RawMessage),
	}
}

// reloadObjects reloads objects to the latest state.
func (uw *urlWatcher) reloadObjects() {
	resp, err := uw.gw.doRequest(uw.apiURL)
	if err != nil {
		log.Printf("cannot perform request to %q: %s", uw.apiURL, err)
		return
	}
	defer resp.Body.Close()
	objectsByKey := make(map[string]json.RawMessage)
	if err := json.NewDecoder(resp.Body).Decode(&objectsByKey); err != nil {
		log.Printf("cannot parse objects from %q: %s", uw.apiURL, err)
		return
	}
	uw.gw.mu.Lock()
	uw.objectsByKey = objectsByKey
	uw.gw.mu.Unlock()
}

// watchForUpdates watches for object updates until the groupWatcher is stopped.
func (uw *urlWatcher) watchForUpdates() {
	stopCh := uw.gw.ctx.Done()
	for {
		select {
		case <-stopCh:
			return
		case <-time.After(time.Second):
		}
		uw.reloadObjects()
	}
}

func getAPIPath(role string) string {
	switch role {
	case "node":
		return "/api/v1/nodes"
	case "endpointslice":
		return "/apis/discovery.k8s.io/v1/endpointslices"
	default:
		return "/api/v1/" + role
	}
}
