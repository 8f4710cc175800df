package caddy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"net/http"
	"strings"
	"sync"
)

var errSameConfig = errors.New("config is unchanged")

// APIError is a structured error that every API
// handler should return for consistency.
type APIError struct {
	HTTPStatus int
	Err        error
}

func (e APIError) Error() string { return e.Err.Error() }

// Admin holds the raw configuration.
type Admin struct {
	// rawCfgMu protects rawCfg and rawCfgJSON and synchronizes loads.
	rawCfgMu   sync.RWMutex
	rawCfg     map[string]any
	rawCfgJSON []byte

	run func(cfgJSON []byte) error
}

// NewAdmin returns an admin that runs configurations with run.
func NewAdmin(run func([]byte) error) *Admin {
	return &Admin{rawCfg: make(map[string]any), run: run}
}

func etagHasher() hash.Hash { return fnv.New64a() }

// makeEtag returns an Etag header value (including quotes) for
// the given config path and hash of contents at that path.
func makeEtag(path string, hash hash.Hash) string {
	return fmt.Sprintf(`"%s %x"`, path, hash.Sum(nil))
}

// ServeHTTP handles config changes or exports according to r.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := a.handleConfig(w, r); err != nil {
		code := http.StatusInternalServerError
		var apiErr APIError
		if errors.As(err, &apiErr) {
			code = apiErr.HTTPStatus
		}
		http.Error(w, err.Error(), code)
	}
}

func (a *Admin) handleConfig(w http.ResponseWriter, r *http.Request) error {
	switch r.Method {
	case http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		hash := etagHasher()

		// Read the config into a buffer instead of writing directly to
		// the response writer, as we want to set the ETag as the header,
		// not the trailer.
		buf := new(bytes.Buffer)
		configWriter := io.MultiWriter(buf, hash)
		err := a.readConfig(r.URL.Path, configWriter)
		if err != nil {
			return APIError{HTTPStatus: http.StatusBadRequest, Err: err}
		}
		w.Header().Set("Etag", makeEtag(r.URL.Path, hash))
		_, err = w.Write(buf.Bytes())
		return err

	case http.MethodPut, http.MethodDelete:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100*1024*1024))
		if err != nil {
			return APIError{HTTPStatus: http.StatusBadRequest, Err: err}
		}
		err = a.changeConfig(r.Method, r.URL.Path, body, r.Header.Get("If-Match"))
		if err != nil && !errors.Is(err, errSameConfig) {
			return err
		}
		return nil
	}
	return APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("method %s not allowed", r.Method)}
}

// readConfig traverses the current config to path
// and writes its JSON encoding to out.
func (a *Admin) readConfig(path string, out io.Writer) error {
	a.rawCfgMu.RLock()
	defer a.rawCfgMu.RUnlock()
	return a.unsyncedConfigAccess(http.MethodGet, path, nil, out)
}

// changeConfig changes the current config (rawCfg) according to the
// method, traversed via the given path, and uses the given input as
// the new value (if applicable). If the resulting config is the same as the
// previous, errSameConfig is returned. If ifMatchHeader is not empty, the
// change is made only if the hash of the config at its path is as given.
func (a *Admin) changeConfig(method, path string, input []byte, ifMatchHeader string) error {
	a.rawCfgMu.Lock()
	defer a.rawCfgMu.Unlock()

	if ifMatchHeader != "" {
		// read out the parts
		parts := strings.Fields(strings.Trim(ifMatchHeader, `"`))
		if len(parts) != 2 {
			return APIError{
				HTTPStatus: http.StatusBadRequest,
				Err:        fmt.Errorf("malformed If-Match header; expect format \"<path> <hash>\""),
			}
		}

		// get the current hash of the config
		// at the given path
		hash := etagHasher()
		err := a.unsyncedConfigAccess(http.MethodGet, parts[0], nil, hash)
		if err != nil {
			return err
		}
		if fmt.Sprintf("%x", hash.Sum(nil)) != parts[1] {
			return APIError{
				HTTPStatus: http.StatusPreconditionFailed,
				Err:        fmt.Errorf("If-Match header did not match current config hash"),
			}
		}
	}

	err := a.unsyncedConfigAccess(method, path, input, nil)
	if err != nil {
		return err
	}

	// the mutation is complete, so encode the entire config as JSON
	newCfg, err := json.Marshal(a.rawCfg)
	if err != nil {
		return err
	}

	// if nothing changed, no need to do a whole reload
	if bytes.Equal(a.rawCfgJSON, newCfg) {
		return errSameConfig
	}

	// load this new config; if it fails, we need to revert to
	// our old representation of caddy's actual config
	if err := a.run(newCfg); err != nil {
		oldCfg := make(map[string]any)
		if len(a.rawCfgJSON) > 0 {
			if err2 := json.Unmarshal(a.rawCfgJSON, &oldCfg); err2 != nil {
				err = fmt.Errorf("%v; additionally, restoring old config: %v", err, err2)
			}
		}
		a.rawCfg = oldCfg
		return fmt.Errorf("loading new config: %v", err)
	}
	a.rawCfgJSON = newCfg
	return nil
}

// unsyncedConfigAccess traverses into the current config and performs
// the operation at path according to method. This is a low-level,
// unsynchronized function; most callers will want to use changeConfig or
// readConfig instead.
func (a *Admin) unsyncedConfigAccess(method, path string, body []byte, out io.Writer) error {
	key := strings.Trim(strings.TrimPrefix(path, "/config"), "/")
	switch method {
	case http.MethodGet:
		return json.NewEncoder(out).Encode(a.rawCfg[key])
	case http.MethodDelete:
		delete(a.rawCfg, key)
	case http.MethodPut:
		var val any
		if err := json.Unmarshal(body, &val); err != nil {
			return APIError{HTTPStatus: http.StatusBadRequest, Err: err}
		}
		a.rawCfg[key] = val
	}
	return nil
}
