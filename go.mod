module github.com/atomvet/atomvet

go 1.25.0

// golang.org/x/tools is held at exactly v0.47.0. The vettool protocol of
// Go 1.26 needs at least v0.39, and a version above the one that gopls pins
// (gopls v0.23.0: v0.47.1-0) breaks building gopls with these analyzers.
require golang.org/x/tools v0.47.0

// For passes/golangci.
require github.com/golangci/plugin-module-register v0.1.2

// For the path that a go.mod file declares.
require golang.org/x/mod v0.37.0

require golang.org/x/sync v0.21.0 // indirect
