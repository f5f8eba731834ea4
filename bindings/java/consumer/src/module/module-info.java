/** The same program as a module. */
module app {
  requires io.contrastive;
}
